"""A client of the MySQL protocol that shows every packet: it tests what client libraries hide.

It speaks what the tests need, text and binary, with or without CLIENT_DEPRECATE_EOF.
"""

import hashlib
import socket
import struct
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

OK, EOF, ERR = 0x00, 0xFE, 0xFF
LONGEST = 0xFFFFFF
DEPRECATE_EOF = 1 << 24
MORE_RESULTS, CURSOR_EXISTS = 0x0008, 0x0040
QUERY, FIELD_LIST, PROCESSES, PING, CHANGE_USER = 0x03, 0x04, 0x0A, 0x0E, 0x11
PREPARE, EXECUTE, LONG_DATA, CLOSE, RESET_STMT = 0x16, 0x17, 0x18, 0x19, 0x1A
SET_OPTION, FETCH, RESET_CONNECTION = 0x1B, 0x1C, 0x1F
WITH_CURSOR = 0x01
"""A flag of EXECUTE."""
_BASE = 0x0001 | 0x0004 | 0x0200 | 0x2000 | 0x8000 | 1 << 16 | 1 << 17 | 1 << 18 | 1 << 19
_BYTES = {1: 1, 2: 2, 3: 4, 4: 4, 5: 8, 8: 8, 9: 4, 13: 2}
_TEMPORAL = {7, 10, 11, 12}


class ServerError(Exception):
    """An ERR packet: number and message."""


@dataclass(frozen=True)
class Column:
    """A column definition."""

    schema: bytes
    table: bytes
    org_table: bytes
    name: bytes
    org_name: bytes
    charset: int
    length: int
    kind: int
    flags: int
    decimals: int

    @property
    def origin(self) -> tuple[bytes, bytes]:
        """To what its encrypted values are bound."""
        return self.org_table, self.org_name

    @property
    def names(self) -> tuple[bytes, ...]:
        """All that it is called."""
        return self.schema, self.table, self.org_table, self.name, self.org_name


@dataclass
class Result:
    """One result: its columns and rows, or none; and its status flags."""

    columns: list[Column] = field(default_factory=list)
    rows: list[list[bytes | None]] = field(default_factory=list)
    status: int = 0


@dataclass(frozen=True)
class Prepared:
    """A prepared statement."""

    number: int
    columns: list[Column]
    parameters: int


class Wire:
    """A connection."""

    def __init__(
        self,
        port: int,
        user: str,
        password: str,
        *,
        capabilities: int = 0,
        database: str = "sbtest",
        early: bytes = b"",
    ) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sequence = 0
        self.greeting = self.packet()
        if self.greeting[0] == ERR:
            raise _error(self.greeting)
        end = self.greeting.index(0, 1)
        self.version = self.greeting[1:end].decode()
        at = end + 1 + 4
        scramble = self.greeting[at : at + 8]
        low, high = at + 9, at + 14
        offered = self.greeting[low : low + 2] + self.greeting[high : high + 2]
        self.offered = int.from_bytes(offered, "little")
        self.extended = int.from_bytes(self.greeting[high + 9 : high + 13], "little")
        scramble += self.greeting[high + 13 : high + 25]
        self.plugin = self.greeting[high + 26 :].rstrip(b"\0")
        self.asked = _BASE | 0x0008 | capabilities
        self.user, self.password = user, password
        answer = self._answer(self.plugin, scramble)
        self.send(
            struct.pack("<IIB", self.asked, 1 << 24, 45)
            + bytes(23)
            + user.encode()
            + b"\0"
            + bytes([len(answer)])
            + answer
            + database.encode()
            + b"\0"
            + self.plugin
            + b"\0",
            early,
        )
        self._authenticate(scramble)

    @property
    def deprecate_eof(self) -> bool:
        """Whether it was agreed on."""
        return bool(self.asked & self.offered & DEPRECATE_EOF)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.socket.close()

    def _answer(self, plugin: bytes, scramble: bytes) -> bytes:
        password = self.password.encode()
        if plugin == b"mysql_native_password":
            once = hashlib.sha1(password).digest()  # noqa: S324
            twice = hashlib.sha1(once).digest()  # noqa: S324
            return _xor(once, hashlib.sha1(scramble + twice).digest())  # noqa: S324
        assert plugin == b"caching_sha2_password", plugin
        once = hashlib.sha256(password).digest()
        twice = hashlib.sha256(once).digest()
        return _xor(once, hashlib.sha256(twice + scramble).digest())

    def change(self, user: str) -> bytes:
        """The command for another user, who is still to prove the password."""
        named = user.encode() + b"\0\0" + b"sbtest\0" + b"\x2d\0"
        return bytes([CHANGE_USER]) + named + self.plugin + b"\0"

    def change_user(self, user: str, password: str, *, early: bytes = b"") -> None:
        """Another user on the same connection; the server asks for the password."""
        self.password = password
        self.sequence = 0
        self.send(self.change(user), early)
        self._authenticate(b"")

    def _authenticate(self, scramble: bytes) -> None:
        while True:
            packet = self.packet()
            if packet[0] == OK:
                return
            if packet[0] == ERR:
                raise _error(packet)
            if packet[0] == EOF:
                plugin, _, scramble = packet[1:].partition(b"\0")
                scramble = scramble.rstrip(b"\0")
                self.send(self._answer(plugin, scramble))
            elif packet[1:] == b"\x04":
                self.send(b"\x02")
            elif packet[1:] != b"\x03":
                self.send(_rsa(packet[1:], self.password.encode() + b"\0", scramble))

    def packet(self) -> bytes:
        """The next payload, over as many packets as it takes."""
        whole = b""
        while True:
            header = self._exactly(4)
            self.sequence = (header[3] + 1) % 256
            part = self._exactly(int.from_bytes(header[:3], "little"))
            whole += part
            if len(part) < LONGEST:
                return whole

    def _exactly(self, length: int) -> bytes:
        parts = bytearray()
        while len(parts) < length:
            part = self.socket.recv(min(length - len(parts), 1 << 20))
            if not part:
                raise ConnectionError("the other side has closed the connection")
            parts += part
        return bytes(parts)

    def send(self, payload: bytes, more: bytes = b"") -> None:
        """A payload as one packet, of the next number, and more packets in one go with it."""
        self.socket.sendall(packed(payload, self.sequence) + more)

    def command(self, number: int, argument: bytes = b"", more: bytes = b"") -> None:
        """Begin a command."""
        self.sequence = 0
        self.send(bytes([number]) + argument, more)

    def simple(self, number: int, argument: bytes = b"") -> bytes:
        """A command that one packet answers."""
        self.command(number, argument)
        packet = self.packet()
        if packet[0] == ERR:
            raise _error(packet)
        return packet

    def query(self, statement: str | bytes) -> list[Result]:
        """All results of a statement."""
        text = statement if isinstance(statement, bytes) else statement.encode()
        self.command(QUERY, text)
        return self.results(binary=False)

    def prepare(self, statement: str) -> Prepared:
        """Prepare a statement."""
        self.command(PREPARE, statement.encode())
        return self.prepared()

    def prepared(self) -> Prepared:
        """The answer to that."""
        packet = self.packet()
        if packet[0] == ERR:
            raise _error(packet)
        number, columns, parameters = struct.unpack_from("<IHH", packet, 1)
        self._definitions(parameters)
        return Prepared(number, self._definitions(columns), parameters)

    def _definitions(self, count: int) -> list[Column]:
        found = [_definition(self.packet()) for _ in range(count)]
        if count and not self.deprecate_eof:
            assert self.packet()[0] == EOF
        return found

    def execute(
        self, statement: int, values: tuple[bytes, ...] = (), *, cursor: int = 0
    ) -> list[Result]:
        """Execute a prepared statement with strings as its parameters; all results."""
        self.command(EXECUTE, execution(statement, values, cursor))
        return self.results(binary=True, opens=bool(cursor & WITH_CURSOR))

    def fetch(self, statement: int, columns: list[Column], rows: int) -> Result:
        """Rows of a cursor."""
        self.command(FETCH, struct.pack("<II", statement, rows))
        result = Result(columns)
        self._rows(result, binary=True)
        return result

    def results(self, *, binary: bool, opens: bool = False) -> list[Result]:
        """All results that answer a command, which may have asked for a cursor."""
        found = [self._result(binary=binary, opens=opens)]
        while found[-1].status & MORE_RESULTS:
            found.append(self._result(binary=binary, opens=opens))
        return found

    def _result(self, *, binary: bool, opens: bool) -> Result:
        packet = self.packet()
        if packet[0] == ERR:
            raise _error(packet)
        if packet[0] == OK:
            return Result(status=_ok_status(packet))
        count, _ = _length(packet, 0)
        result = Result([_definition(self.packet()) for _ in range(count)])
        if not self.deprecate_eof:
            end = self.packet()
            if end[0] == ERR:
                raise _error(end)
            assert end[0] == EOF
            result.status = int.from_bytes(end[3:5], "little")
            # A routine's own cursor sets the flag as well, and rows follow.
            if opens and result.status & (CURSOR_EXISTS | MORE_RESULTS) == CURSOR_EXISTS:
                return result
        self._rows(result, binary=binary)
        return result

    def _rows(self, result: Result, *, binary: bool) -> None:
        while True:
            packet = self.packet()
            if packet[0] == ERR:
                raise _error(packet)
            if (
                packet[0] == EOF
                and len(packet) < 0xFFFFFF
                and (self.deprecate_eof or len(packet) < 9)
            ):
                status = packet[3:5] if not self.deprecate_eof else None
                result.status = int.from_bytes(status, "little") if status else _ok_status(packet)
                return
            read = _binary_row if binary else _text_row
            result.rows.append(read(packet, result.columns))


def packed(payload: bytes, sequence: int = 0) -> bytes:
    """A payload as one packet."""
    return len(payload).to_bytes(3, "little") + bytes([sequence]) + payload


def execution(statement: int, values: tuple[bytes, ...] = (), cursor: int = 0) -> bytes:
    """The argument of COM_STMT_EXECUTE."""
    head = struct.pack("<IBI", statement, cursor, 1)
    if not values:
        return head
    nulls = bytes((len(values) + 7) // 8)
    kinds = b"\xfd\0" * len(values)
    return head + nulls + b"\x01" + kinds + b"".join(bytes([len(v)]) + v for v in values)


def _xor(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=False))


def _rsa(pem: bytes, password: bytes, scramble: bytes) -> bytes:
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import padding, rsa

    key = serialization.load_pem_public_key(pem)
    assert isinstance(key, rsa.RSAPublicKey)
    repeated = (scramble * (len(password) // len(scramble) + 1))[: len(password)]
    oaep = padding.OAEP(padding.MGF1(hashes.SHA1()), hashes.SHA1(), None)  # noqa: S303
    return key.encrypt(_xor(password, repeated), oaep)


def _error(packet: bytes) -> ServerError:
    return ServerError(int.from_bytes(packet[1:3], "little"), packet[3:].decode(errors="replace"))


def _length(packet: bytes, at: int) -> tuple[int, int]:
    first = packet[at]
    if first < 0xFB:
        return first, at + 1
    size = {0xFC: 2, 0xFD: 3, 0xFE: 8}[first]
    return int.from_bytes(packet[at + 1 : at + 1 + size], "little"), at + 1 + size


def _string(packet: bytes, at: int) -> tuple[bytes, int]:
    length, at = _length(packet, at)
    return packet[at : at + length], at + length


def _ok_status(packet: bytes) -> int:
    _, at = _length(packet, 1)
    _, at = _length(packet, at)
    return int.from_bytes(packet[at : at + 2], "little")


def _definition(packet: bytes) -> Column:
    at, names = 0, []
    for _ in range(6):
        name, at = _string(packet, at)
        names.append(name)
    charset, length, kind, flags, decimals = struct.unpack_from("<HIBHB", packet, at + 1)
    _, schema, table, org_table, name, org_name = names
    named = (schema, table, org_table, name, org_name)
    return Column(*named, charset, length, kind, flags, decimals)


def _text_row(packet: bytes, columns: list[Column]) -> list[bytes | None]:
    at, row = 0, list[bytes | None]()
    for _ in columns:
        if packet[at] == 0xFB:
            row.append(None)
            at += 1
        else:
            value, at = _string(packet, at)
            row.append(value)
    assert at == len(packet)
    return row


def _binary_row(packet: bytes, columns: list[Column]) -> list[bytes | None]:
    """Values as their bytes in the packet, lengths cut off."""
    at, row = 1 + (len(columns) + 9) // 8, list[bytes | None]()
    for number, column in enumerate(columns):
        bit = number + 2
        if packet[1 + bit // 8] & 1 << bit % 8:
            row.append(None)
        elif column.kind in _BYTES:
            row.append(packet[at : at + _BYTES[column.kind]])
            at += _BYTES[column.kind]
        elif column.kind in _TEMPORAL:
            row.append(packet[at + 1 : at + 1 + packet[at]])
            at += 1 + packet[at]
        else:
            value, at = _string(packet, at)
            row.append(value)
    assert at == len(packet)
    return row
