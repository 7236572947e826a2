-- Primary keys and the two secondary indexes, each by the next worker that is free: the longest first.
alter table bmsql_order_line
  add constraint bmsql_order_line_pkey primary key (ol_w_id, ol_d_id, ol_o_id, ol_number);

alter table bmsql_stock
  add constraint bmsql_stock_pkey primary key (s_w_id, s_i_id);

alter table bmsql_customer
  add constraint bmsql_customer_pkey primary key (c_w_id, c_d_id, c_id);

create index bmsql_customer_idx1 on bmsql_customer (c_w_id, c_d_id, c_last, c_first);

alter table bmsql_oorder
  add constraint bmsql_oorder_pkey primary key (o_w_id, o_d_id, o_id);

create unique index bmsql_oorder_idx1 on bmsql_oorder (o_w_id, o_d_id, o_carrier_id, o_id);

alter table bmsql_history
  add constraint bmsql_history_pkey primary key (hist_id);

alter table bmsql_item
  add constraint bmsql_item_pkey primary key (i_id);

alter table bmsql_new_order
  add constraint bmsql_new_order_pkey primary key (no_w_id, no_d_id, no_o_id);

alter table bmsql_district
  add constraint bmsql_district_pkey primary key (d_w_id, d_id);

alter table bmsql_warehouse
  add constraint bmsql_warehouse_pkey primary key (w_id);
