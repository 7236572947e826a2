"""What kind of file a path of the volume is. The agent imports it: the standard library only."""

from encbench.engines.files import kinds

kind_of = kinds(
    (r"/ib_logfile\d+$", "redo"),
    (r"/undo\d+$", "undo"),
    (r"/(ibdata\d+|ibtmp\d+)$", "system"),
    (r"/#ib_.*dblwr$", "doublewrite"),
    (r"/aria_log\.\d+$", "aria-log"),
    (r"\.(MAI|MAD)$", "aria"),
    (r"/binlog\.(\d+)$", "binlog"),
    (r"\.ibd$", "table"),
)
