"""Slices of a trial in turns, with CPU as an agent reads it."""

from encbench.core.slices import SliceFacts, Slices


def slices(*used: tuple[float | None, float | None]) -> Slices:
    """Slices of two seconds each, with the CPU seconds of server and proxy."""
    return Slices(
        rows=tuple(
            SliceFacts(
                slot=slot,
                round=slot,
                begin=0.0,
                counted=0.5,
                end=2.5,
                seconds=2.0,
                transactions=10,
                new_orders=0,
                all_transactions=12,
                client_cpu_seconds=0.1,
                database_cpu_seconds=server,
                proxy_cpu_seconds=proxy,
            )
            for slot, (server, proxy) in enumerate(used)
        )
    )
