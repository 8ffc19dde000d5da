"""Machines with a network of their own: network namespaces, each joined to a switch by a cable that can be pulled.

The switch is a bridge in a namespace that has nothing else. The test process stays where it is, and has a cable too.
All names and addresses have the number of the network in them, which belongs to whoever makes its switch first.
"""

import os
import random
import shutil
import signal
import subprocess
from contextlib import suppress

from tests.farms import Machine

NETWORKS = range(1, 255)
SWITCH = "switch"


class NoNamespacesError(Exception):
    """Namespaces cannot be made here, and why."""


class Network:
    """A network 10.77.NUMBER.0/24 of the test's own, with the test process at its first address."""

    def __init__(self) -> None:
        if shutil.which("ip") is None:
            raise NoNamespacesError("there is no command ip (iproute2)")
        self.number = _first_of_all()
        self._machines: list[str] = []
        try:
            ip("link", "add", SWITCH, "type", "bridge", inside=self._name(0))
            ip("link", "set", SWITCH, "up", inside=self._name(0))
            ip("link", "add", self._own, *self._cable(1))
            self._plug_in(1, self._own)
        except NoNamespacesError:
            self.close()
            raise

    @property
    def _own(self) -> str:
        """The end of the test process's cable."""
        return f"cm{self.number}"

    def _name(self, host: int) -> str:
        return f"classmark-{self.number}-{host}"

    def _cable(self, host: int) -> tuple[str, ...]:
        """What makes the other end of a host's cable, at the switch."""
        return "type", "veth", "peer", "name", f"port{host}", "netns", self._name(0)

    def _plug_in(self, host: int, end: str, inside: str = "") -> None:
        ip("link", "set", f"port{host}", "master", SWITCH, "up", inside=self._name(0))
        ip("address", "add", f"10.77.{self.number}.{host}/24", "dev", end, inside=inside)
        ip("link", "set", end, "up", inside=inside)

    def machine(self) -> Machine:
        """Add a machine."""
        host = len(self._machines) + 2
        name = self._name(host)
        ip("netns", "add", name)
        self._machines.append(name)
        ip("link", "set", "lo", "up", inside=name)
        ip("link", "add", "eth0", *self._cable(host), inside=name)
        self._plug_in(host, "eth0", name)
        return Machine(f"10.77.{self.number}.{host}", name)

    def cut(self, process: int) -> None:
        """Pull the cable of the machine a process runs on: nothing is said any more, not even that it was pulled."""
        self._set(process, "down")

    def mend(self, process: int) -> None:
        """Plug a cable in again."""
        self._set(process, "up")

    def mend_all(self) -> None:
        """Plug all cables in that were pulled."""
        for host in range(1, len(self._machines) + 2):
            ip("link", "set", f"port{host}", "up", inside=self._name(0))

    def _set(self, process: int, state: str) -> None:
        name = ip("netns", "identify", str(process))
        host = name.removeprefix(self._name(0)[:-1]) if name in self._machines else "1"
        ip("link", "set", f"port{host}", state, inside=self._name(0))

    def close(self) -> None:
        """Take everything away, processes that were left included; the cables go with the switch."""
        for name in (*self._machines, self._name(0)):
            for process in tried("netns", "pids", name).split():
                with suppress(ProcessLookupError):
                    os.kill(int(process), signal.SIGKILL)
            tried("netns", "delete", name)
        # Namespaces are taken apart a moment later, and with them the other ends of their cables.
        tried("link", "delete", self._own)

    def left(self) -> set[str]:
        """Give the names of what is still there."""
        seen = ip("netns", "list").split() + ip("-oneline", "link").split()
        return {one for one in seen if one.startswith((self._name(0)[:-1], f"{self._own}@"))}


def _first_of_all() -> int:
    """Make the namespace of a switch that nobody has, in a network that nobody knows; give its number."""
    for number in random.sample(NETWORKS, len(NETWORKS)):
        if ip("-4", "route", "show", "root", f"10.77.{number}.0/24"):
            continue
        try:
            ip("netns", "add", f"classmark-{number}-0")
        except NoNamespacesError as error:
            if "File exists" not in str(error):
                raise
        else:
            return number
    raise NoNamespacesError("all networks 10.77.x.0/24 are taken")


def ip(*arguments: str, inside: str = "") -> str:
    """Run `ip`, and give what it says."""
    place = ("-netns", inside) if inside else ()
    done = subprocess.run(["ip", *place, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise NoNamespacesError(f"ip {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout.strip()


def tried(*arguments: str) -> str:
    """Run `ip`, and give what it says, if it says anything."""
    with suppress(NoNamespacesError):
        return ip(*arguments)
    return ""
