"""Where MariaDB's files are in the database pod."""

from encbench.engines.innodb.layout import InnodbLayout

POD = InnodbLayout(server="mariadb")
