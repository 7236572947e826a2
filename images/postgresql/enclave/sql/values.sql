-- Known answers, sealed by another program with the same key, and with one nonce, as no client may.
\set forty_two '7AEBAWRlZmdoaWprbG1ubxpiTo+XuvDrecgYetOuu+C3Laak'
\set lowest '7AEBAWRlZmdoaWprbG1ub5piTqWVD1sEl49eukhEHWKOj/X0'
\set greetings '7AEBAmRlZmdoaWprbG1ub10QjRkYnd3PAtHWSTYct3Zzphdyx6ET'
\set nothing '7AEBAmRlZmdoaWprbG1ub8+EQrQp3PZ2KCzTZ9hENqU='
\set long '7AEBAmRlZmdoaWprbG1ubypTfJbvN47NowdnIbT5H9kGv0DGopjvacBah6CEy8fCiM9mEb0vH6i6aRV1ubdyMOOkLUKvNXUd9bk5ZPyvV1NQryQ6lI6iuxWUCucE3AlL5oMQKYDQDrMCJXWa12yib1R+WVS+5KsAqeTE1yqQxn81ya4u4SQ72lwTvYzSF3xArRqxY5XuWIwYIUA9ODIHH++f8c76Tgpt+Snbmho1G23MKq2wZL3e8fUzu7URm3ZbDpkjBx+yiqgCnO+C4sD5s8+1NjGnRTpre8qEMQLo7VP5xfQFGATBCFW1174xxGdHxfQRWp34/hm/5/6/ZQ1uz4zZmCCW4WrkRoNrbr4reF9U+ORNtDW1ErUYIjGCUvipp6pJPNOxWTiNFH920iYSACOY5hnue5hRXbZglH5kZdiUJhergtrfmDY17xk='
SELECT enc_open(:'forty_two'::enc_int4), enc_open(:'lowest'::enc_int4),
    enc_open(:'greetings'::enc_text), enc_open(:'nothing'::enc_text) = '' AS empty,
    enc_open(:'long'::enc_text) = repeat('0123456789', 30) AS long;

-- Text and binary forms.
SELECT :'forty_two'::enc_int4, :'nothing'::enc_text;
SELECT encode(enc_int4_send(:'forty_two'), 'base64') = :'forty_two' AS int4,
    encode(enc_text_send(:'greetings'), 'base64') = :'greetings' AS text;
SELECT pg_column_size(:'forty_two'::enc_int4) AS int4,
    length(enc_text_send(enc_seal(repeat('x', 119)))) AS text;

-- What is sealed here opens there, and each time it is another ciphertext.
SELECT bool_and(enc_open(enc_seal(n)) = n) AS opens,
    count(DISTINCT enc_seal(1)::text) AS ciphertexts
FROM generate_series(-500, 499) n;
SELECT bool_and(enc_open(enc_seal(repeat('ab', n))) = repeat('ab', n)) AS opens
FROM generate_series(0, 300) n;

-- Not a value. The message never repeats it, because it may be a plaintext.
SELECT '5'::enc_int4;
SELECT 'Meier'::enc_text;
SELECT ''::enc_int4;
SELECT '7AEBAWRl*mdoaWprbG1ub'::enc_int4;
SELECT '7AEBAWRlZmdoaWprbG1ubw=='::enc_int4;
SELECT :'greetings'::enc_int4;
SELECT :'forty_two'::enc_text;
SELECT 'AAEBAWRlZmdoaWprbG1ubxpiTo+XuvDrecgYetOuu+C3Laak'::enc_int4;

-- Well formed, and not authentic: altered, sealed by another key, a text that says it is an integer.
\set altered '7AEBAWRlZmdoaWprbG1ubxpiTo+WuvDrecgYetOuu+C3Laak'
\set other_key '7AEBAWRlZmdoaWprbG1ub894IQP2tVeasJM7xN1pKoche/zw'
SELECT :'altered'::enc_int4 = :'forty_two'::enc_int4;
SELECT :'forty_two'::enc_int4 = :'other_key'::enc_int4;
SELECT :'other_key'::enc_int4 + :'forty_two'::enc_int4;
SELECT sum(v) FROM (VALUES (:'forty_two'::enc_int4), (:'altered')) a (v);
SELECT ('7AEBAmRlZmdoaWprbG1ubxpiTo+XuvDrecgYetOuu+C3Laak'::enc_text) < :'nothing';
