"""What kind of file a path of the volume is. The agent imports it: the standard library only."""

from encbench.engines.files import kinds

kind_of = kinds(
    (r"/#ib_redo\d+(_tmp)?$", "redo"),
    (r"/ib_logfile\d+$", "redo"),
    (r"/undo_?\d+$", "undo"),
    (r"\.ibu$", "undo"),
    (r"/(ibtmp\d+|#innodb_temp/.*\.ibt)$", "temporary"),
    (r"/ibdata\d+$", "system"),
    (r"/data/mysql\.ibd$", "system"),
    (r"/#ib_.*dblwr$", "doublewrite"),
    (r"/binlog\.\d+$", "binlog"),
    (r"\.ibd$", "table"),
)
