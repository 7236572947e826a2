"""What kind of file a path of the volume is. The agent imports it: the standard library only."""

from encbench.engines.files import kinds

kind_of = kinds(
    # Numbers of relations below 16384 are the catalogue's; 1, 4 and 5 are template databases.
    (r"/pg_wal/[0-9A-F]{24}$", "redo"),
    (r"/pgsql_tmp/", "temporary"),
    (r"/base/[145]/", "system"),
    (r"/base/\d+/\d{5,}(_\w+)?(\.\d+)?$", "table"),
    (r"/(base|global)/", "system"),
    (r"/pg_(xact|multixact|subtrans|commit_ts)/", "system"),
)
