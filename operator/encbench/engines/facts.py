"""Facts about each engine that follow from its name alone: one row for each.

The agent imports this module: at run time the standard library only.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from encbench.core.connection import Driver


@dataclass(frozen=True, kw_only=True)
class EngineFacts:
    """One row."""

    name: str
    """As `InstanceTemplate.spec.engine` names it."""
    title: str
    """Its name in sentences."""
    package: str
    """The package beside this module that implements it; two engines may share one."""
    driver: Driver
    """The protocol of its clients."""
    port: int
    process: str
    repository: str
    """Upstream's images; fully qualified, because some container runtimes need that."""
    jdbc: str
    """Class of the JDBC driver that fits best."""
    tpcc: Mapping[str, str]
    """The property `db` of each TPC-C client (`tools.tpcc.props.Kind`)."""


_MYSQL = EngineFacts(
    name="mysql",
    title="MySQL",
    package="mysql",
    driver="mysql",
    port=3306,
    process="mysqld",
    repository="docker.io/library/mysql",
    jdbc="com.mysql.cj.jdbc.Driver",
    # Upstream's BenchmarkSQL 5 knows PostgreSQL only; builds for MySQL's protocol say mysql.
    tpcc={"own": "mysql", "5": "mysql", "6": "mariadb"},
)

FACTS: Mapping[str, EngineFacts] = {
    row.name: row
    for row in (
        EngineFacts(
            name="mariadb",
            title="MariaDB",
            package="mariadb",
            driver="mysql",
            port=3306,
            process="mariadbd",
            repository="docker.io/library/mariadb",
            jdbc="org.mariadb.jdbc.Driver",
            tpcc={"own": "mariadb", "5": "mysql", "6": "mariadb"},
        ),
        _MYSQL,
        replace(
            _MYSQL,
            name="percona",
            title="Percona Server",
            repository="docker.io/percona/percona-server",
        ),
        EngineFacts(
            name="postgresql",
            title="PostgreSQL",
            package="postgresql",
            driver="pgsql",
            port=5432,
            process="postgres",
            repository="docker.io/library/postgres",
            jdbc="org.postgresql.Driver",
            tpcc={"own": "postgres", "5": "postgres", "6": "postgres"},
        ),
    )
}


def facts(engine: str) -> EngineFacts:
    """The row of that engine; KeyError for any other text."""
    return FACTS[engine]
