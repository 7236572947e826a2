SELECT name FROM secret
SELECT * FROM secret
SELECT s.name AS x FROM secret AS s
SELECT plain.name AS label FROM secret plain
SELECT num FROM secret
SELECT num + 1, -num, ROUND(num, 1) FROM secret
SELECT label FROM (SELECT name AS label FROM secret) plain
SELECT id FROM (SELECT name AS id FROM secret) secret
SELECT grp FROM (SELECT name AS grp FROM secret) t
SELECT label FROM (SELECT DISTINCT name AS label FROM secret) plain
SELECT label FROM (SELECT name AS label FROM secret LIMIT 2) plain
SELECT label FROM (SELECT MAX(name) AS label FROM secret) plain
SELECT label FROM (SELECT name AS label FROM secret UNION SELECT label FROM plain) plain
SELECT label FROM (SELECT label FROM merged) plain
SELECT label FROM merged
SELECT label FROM joined
SELECT label FROM joined ORDER BY id
SELECT joined.label FROM joined ORDER BY joined.label DESC
SELECT joined.label FROM joined
SELECT j.label FROM joined AS j
SELECT joined.label FROM plain, joined WHERE joined.id = plain.id
SELECT joined.label FROM plain JOIN joined ON joined.id = plain.id
SELECT label FROM merged AS plain
SELECT label FROM merged `plain`
SELECT label FROM kept
SELECT label FROM kept plain
SELECT plain.label FROM merged AS plain JOIN secret ON secret.id = plain.id
SELECT label FROM copied
SELECT label FROM plain UNION SELECT name FROM secret
SELECT label FROM plain UNION ALL SELECT name FROM secret
SELECT name AS label FROM secret UNION ALL SELECT label FROM plain
(SELECT label FROM plain) UNION ALL (SELECT name FROM secret) ORDER BY 1
SELECT name FROM secret INTERSECT SELECT name FROM secret
SELECT name FROM secret EXCEPT SELECT label FROM plain
SELECT MAX(name), MIN(name) AS label FROM secret
SELECT MAX(name) AS label FROM secret GROUP BY grp
SELECT SQL_BIG_RESULT MIN(name) AS label, grp FROM secret GROUP BY grp ORDER BY label
SELECT DISTINCT MAX(name) AS label FROM secret GROUP BY grp ORDER BY 1
SELECT name AS label, COUNT(*) FROM secret GROUP BY name WITH ROLLUP
SELECT name FROM secret GROUP BY name HAVING COUNT(*) > 0 ORDER BY MAX(num)
SELECT LOWER(UPPER(name)) AS label, name FROM secret
SELECT CONCAT(name, '') AS label FROM secret GROUP BY 1 ORDER BY COUNT(*), 1
SELECT COALESCE(name, ''), IFNULL(name, '') FROM secret
SELECT IF(1, name, label) AS label FROM plain, secret
SELECT CASE WHEN secret.id = 1 THEN name END AS label FROM secret, plain
SELECT SUBSTRING(name, 1, 12), TRIM(name), CAST(name AS CHAR) FROM secret
SELECT (SELECT name FROM secret WHERE id = 1) AS label
SELECT (SELECT name FROM secret WHERE id = plain.id) AS label FROM plain
SELECT plain.label, (SELECT MAX(name) FROM secret) FROM plain
SELECT GROUP_CONCAT(name) FROM secret
SELECT JSON_ARRAYAGG(name) FROM secret
SELECT JSON_EXTRACT(doc, '$.a') FROM secret
SELECT JSON_UNQUOTE(JSON_EXTRACT(doc, '$.a')) AS label FROM secret
SELECT JSON_OBJECT('a', name) FROM secret
SELECT FIRST_VALUE(name) OVER (ORDER BY id) AS label, ROW_NUMBER() OVER (ORDER BY name) FROM secret
SELECT LEAD(name) OVER (ORDER BY id) AS label, grp FROM secret
SELECT MAX(name) OVER () AS label, plain.label FROM secret, plain ORDER BY secret.id, plain.id
WITH plain AS (SELECT name AS label FROM secret) SELECT label FROM plain
WITH plain AS (SELECT DISTINCT name AS label FROM secret) SELECT label FROM plain
WITH plain(label) AS (SELECT name FROM secret) SELECT p.label FROM plain p
WITH RECURSIVE plain AS (SELECT id, name AS label FROM secret WHERE id = 1 UNION ALL SELECT id + 1, label FROM plain WHERE id < 2) SELECT label FROM plain
SELECT * FROM secret NATURAL JOIN plain
SELECT label, name FROM plain JOIN secret USING (id)
SELECT id, name FROM plain RIGHT JOIN secret USING (id)
SELECT told()
SELECT told() AS label FROM plain
SELECT @@version, (SELECT name FROM secret WHERE id = 1) AS label
SELECT @@version AS '@@version', name FROM secret
SELECT SQL_BUFFER_RESULT name AS label FROM secret
SELECT name FROM secret FOR UPDATE
SELECT name FROM secret ORDER BY RAND()
SELECT BINARY name AS label FROM secret
SELECT txt AS label, doc AS id FROM secret
SELECT HEX(id), name FROM secret WHERE name LIKE 'Marker%' -- label
SELECT /*! name, */ id FROM secret
SELECT DISTINCT label, 1.FROM joined
SELECT DISTINCT label, 1. FROM joined
SELECT DISTINCT label, .5FROM joined
SELECT DISTINCT label, 1e1FROM joined
SELECT DISTINCT label, 1e+1FROM joined
SELECT DISTINCT label, @a. FROM joined
SELECT joined.label FROM plain JOIN secret ON 1.JOIN joined ORDER BY joined.label
CALL scrolls()
SELECT '' AS a, name FROM secret WHERE id = scrolled()
