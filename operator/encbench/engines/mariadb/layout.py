"""Where MariaDB's files lie in the database pod."""

from encbench.engines.innodb.layout import Layout

POD = Layout(server="mariadb")
