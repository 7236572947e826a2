"""The JDBC drivers that the encrypting driver goes around, by their URLs."""

URLS = {
    "Connector/J": "jdbc:mysql://127.0.0.1:{port}/{database}?sslMode=DISABLED"
    "&allowPublicKeyRetrieval=true",
    "Connector/J, binary protocol": "jdbc:mysql://127.0.0.1:{port}/{database}?sslMode=DISABLED"
    "&allowPublicKeyRetrieval=true&useServerPrepStmts=true",
    "MariaDB's": "jdbc:mariadb://127.0.0.1:{port}/{database}?sslMode=disable",
    "MariaDB's, binary protocol": "jdbc:mariadb://127.0.0.1:{port}/{database}?sslMode=disable"
    "&useServerPrepStmts=true",
}
