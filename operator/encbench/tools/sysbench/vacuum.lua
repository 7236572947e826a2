-- Vacuums what was loaded into PostgreSQL: all tables of the user, in as many threads as it has.
-- Otherwise autovacuum begins with them within a minute, in the window of a trial, and again after
-- each reset, because the golden copy brings their state back. No vacuum is a parallel one: before
-- 17 each would reserve up to maintenance_work_mem in shared memory, although nothing is dead.

local TABLES = [[
SELECT format('%I.%I', schemaname, tablename) FROM pg_tables
WHERE tableowner = current_user AND schemaname NOT IN ('pg_catalog', 'information_schema')
ORDER BY 1]]

local function vacuum()
   local connection, threads = sysbench.sql.driver():connect(), sysbench.opt.threads
   local found, names = connection:query(TABLES), {}
   for number = 1, found.nrows do
      local name = found:fetch_row()[1]
      if number % threads == sysbench.tid % threads then table.insert(names, name) end
   end
   found:free()
   for _, name in ipairs(names) do
      print(string.format("Vacuuming table '%s'...", name))
      connection:query("VACUUM (ANALYZE, PARALLEL 0) " .. name)
   end
end

sysbench.cmdline.commands = { vacuum = {vacuum, sysbench.cmdline.PARALLEL_COMMAND} }
