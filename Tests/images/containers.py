"""Containers without an engine: what docker-compose.yml says of a service, done with the kernel's own means.

Images are buildah's. Each container has its own process, mount, network, IPC and host name spaces, is limited in memory and processes, and
has the rights that compose gives it; each of compose's networks is a bridge of its own, so that only who shares one can connect.
"""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent
# The range of the test's networks, 172.31.77.0 and so on: one for each network of compose.
RANGE, FIRST = "172.31", 77
BRIDGE = "rialtest"


def output(*command, **options):
    run = subprocess.run([str(word) for word in command], text=True, capture_output=True, **options)
    if run.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: {run.stderr.strip()}")
    return run.stdout.strip()


def listed(value):
    return [value] if isinstance(value, str) else list(value or [])


def until(condition, what, seconds=60):
    """Waits for a condition, and returns what it gave."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"after {seconds} s: {what}")
        time.sleep(0.05)
    return found


def size(text, default):
    """Bytes of compose's sizes: 512m, 2g or a number."""
    if text is None:
        return default
    number, unit = re.fullmatch(r"(\d+)([kmg]?)b?", str(text).lower()).groups()
    return int(number) << {"": 0, "k": 10, "m": 20, "g": 30}[unit]


class Limits:
    """A control group's limits of memory and processes, under version 1 or 2."""

    def __init__(self, name, memory, processes):
        root = pathlib.Path("/sys/fs/cgroup")
        if (root / "memory").is_dir():
            files = {root / "memory": {"memory.limit_in_bytes": memory}, root / "pids": {"pids.max": processes}}
        else:
            (root / "cgroup.subtree_control").write_text("+memory +pids")
            (root / "rial-test").mkdir(exist_ok=True)
            (root / "rial-test/cgroup.subtree_control").write_text("+memory +pids")
            files = {root: {"memory.max": memory, "pids.max": processes}}
        self.groups = []
        for controller, values in files.items():
            group = controller / "rial-test" / name
            group.mkdir(parents=True, exist_ok=True)
            self.groups.append(group)
            for file, value in values.items():
                (group / file).write_text(str(value))

    def join(self):
        for group in self.groups:
            (group / "cgroup.procs").write_text(str(os.getpid()))

    def peak(self):
        """The most memory that it had, in bytes."""
        for name in ("memory.max_usage_in_bytes", "memory.peak"):
            if (self.groups[0] / name).exists():
                return int((self.groups[0] / name).read_text())
        return 0

    def remove(self):
        for group in self.groups:
            try:
                group.rmdir()
            except OSError:
                pass


class Composition:
    """The containers of one run, with their networks, volumes and logs in `folder`."""

    def __init__(self, configuration, folder, seccomp):
        self.configuration, self.folder, self.seccomp = configuration, pathlib.Path(folder), seccomp
        self.networks = {name: index for index, name in enumerate(["default", *sorted(configuration["networks"])])}
        self.containers = {}
        self.addresses = 9
        for name in ("logs", "volumes", "run"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        for index in self.networks.values():
            subprocess.run(["ip", "link", "del", f"{BRIDGE}{index}"], capture_output=True)
            output("ip", "link", "add", f"{BRIDGE}{index}", "type", "bridge")
            output("ip", "addr", "add", f"{RANGE}.{FIRST + index}.1/24", "dev", f"{BRIDGE}{index}")
            output("ip", "link", "set", f"{BRIDGE}{index}", "up")

    def start(self, service, name=None, command=None, entrypoint=None, environment=None, volumes=(), apart=False):
        """Starts a container of a service, and returns it. Options replace or add to what compose says; `apart`: its output is not in its log."""
        name = name or service
        if name in self.containers:
            self.containers[name].remove()
        container = Container(self, service, name, command, entrypoint, environment or {}, volumes)
        self.containers[name] = container
        self._name_everyone()
        container.launch(apart)
        return container

    def run(self, service, *command, seconds=120, **options):
        """A container's one command: (exit status, what it printed, what it said beside that)."""
        container = self.start(service, name=f"{service}-run", command=list(command) or None, apart=True, **options)
        status = container.wait(seconds)
        printed, said = container.output_file.read_text(), container.log()
        for file in (container.output_file, container.log_file):
            file.rename(file.with_name(f"{service}-{time.monotonic_ns()}{file.suffix}"))
        return status, printed, said

    def _name_everyone(self):
        """Names in /etc/hosts are those of containers on a network that both are on, as Docker's name server answers."""
        for one in self.containers.values():
            lines = ["127.0.0.1 localhost", f"127.0.0.1 {one.name}"] if not one.addresses else ["127.0.0.1 localhost"]
            for other in self.containers.values():
                shared = [network for network in one.addresses if network in other.addresses]
                # A service's name is that of its first container, which is enough here.
                lines += [f"{other.addresses[network]} {other.name}" for network in shared[:1]]
            text = "\n".join(lines) + "\n"
            # The same file, since containers have it mounted, and never empty for who reads it meanwhile.
            with open(os.open(one.hosts, os.O_RDWR | os.O_CREAT, 0o644), "r+") as file:
                file.write(text)
                file.truncate()

    def volume(self, name, image_root, target):
        """A named volume: new, it gets the files and the owner that the image has there."""
        place = self.folder / "volumes" / name
        if not place.exists():
            place.mkdir()
            there = pathlib.Path(image_root + target)
            if there.is_dir():
                # With everybody's files, and what it is itself.
                output("cp", "--archive", f"{there}/.", place)
        return place

    def close(self):
        """Ends and removes everything, also if something of it fails; the last failure is raised."""
        with contextlib.ExitStack() as ends:
            for index in self.networks.values():
                ends.callback(subprocess.run, ["ip", "link", "del", f"{BRIDGE}{index}"], capture_output=True)
            for container in self.containers.values():
                ends.callback(container.remove)


class Container:
    def __init__(self, composition, service, name, command, entrypoint, environment, volumes):
        self.composition, self.name = composition, name
        said = composition.configuration["services"][service]
        self.image = said["image"]
        image = json.loads(output("buildah", "inspect", "--type", "image", self.image))["OCIv1"]["config"]
        self.working = output("buildah", "from", "--pull-never", self.image)
        self.image_root = output("buildah", "mount", self.working)
        self.process = None
        self.log_file = composition.folder / "logs" / f"{name}.log"
        self.output_file = self.log_file.with_suffix(".out")
        self.hosts = composition.folder / "run" / f"{name}.hosts"
        self.grace = int(re.sub(r"\D", "", str(said.get("stop_grace_period", "10s"))) or 10)
        self.stop_signal = getattr(signal, said.get("stop_signal") or image.get("StopSignal") or "SIGTERM")
        self.health = said.get("healthcheck", {}).get("test")
        self.limits = Limits(name, size(said.get("mem_limit"), 8 << 30), said.get("pids_limit") or 4096)
        networks = [] if said.get("network_mode") == "none" else list(said.get("networks") or ["default"])
        composition.addresses += 1
        self.addresses = {each: f"{RANGE}.{FIRST + composition.networks[each]}.{composition.addresses}" for each in networks}
        self.namespace = f"rial-test-{name}"
        self._connect()
        mounts = [self._mount(each) for each in said.get("volumes") or []]
        mounts += [{"source": str(source), "target": target, "read_only": True} for source, target in volumes]
        variables = dict(each.split("=", 1) for each in image.get("Env") or [])
        variables["HOSTNAME"] = name
        variables |= {key: "" if value is None else str(value) for key, value in (said.get("environment") or {}).items()}
        variables |= environment
        self.user, self.group, variables["HOME"] = self._user(str(said.get("user") or image.get("User") or "0:0"))
        entry = entrypoint or listed(said.get("entrypoint")) or image.get("Entrypoint") or []
        arguments = command or listed(said.get("command")) or ([] if said.get("entrypoint") else image.get("Cmd")) or []
        secrets = []
        for each in said.get("secrets") or []:
            source, target = (each, each) if isinstance(each, str) else (each["source"], each.get("target") or each["source"])
            file = composition.configuration["secrets"][source]["file"]
            target = target if target.startswith("/") else f"/run/secrets/{target}"
            secrets.append({"source": file, "target": target, "read_only": True})
        point = composition.folder / "run" / f"{name}.root"
        point.mkdir(exist_ok=True)
        self.specification = {
            "name": name, "image_root": self.image_root, "mount_point": str(point), "seccomp": str(composition.seccomp),
            "working_directory": said.get("working_dir") or image.get("WorkingDir") or "/", "user": self.user, "group": self.group,
            "environment": variables, "arguments": [str(each).replace("$$", "$") for each in [*entry, *arguments]],
            "read_only": bool(said.get("read_only")), "hosts": str(self.hosts), "secrets": secrets, "volumes": mounts,
            "shm_size": size(said.get("shm_size"), 64 << 20), "nofile": self._nofile(said),
            "tmpfs": [dict(zip(("path", "options"), (each + ":").split(":")[:2])) for each in listed(said.get("tmpfs"))],
        }

    def _nofile(self, said):
        limit = (said.get("ulimits") or {}).get("nofile", 1024)
        return limit["hard"] if isinstance(limit, dict) else int(limit)

    def _user(self, user):
        for line in pathlib.Path(self.image_root, "etc/passwd").read_text().splitlines():
            name, _, uid, gid, _, home, _ = line.split(":")
            if user in (name, uid, f"{uid}:{gid}"):
                return int(uid), int(gid), home
        uid, _, gid = user.partition(":")
        return int(uid), int(gid or 0), "/"

    def _mount(self, each):
        if isinstance(each, str):
            source, target, *mode = each.split(":")
            read_only = mode == ["ro"]
        else:
            source, target, read_only = each["source"], each["target"], bool(each.get("read_only"))
        if not source.startswith("/"):
            source = self.composition.volume(source, self.image_root, target)
        return {"source": str(source), "target": target, "read_only": read_only}

    def _connect(self):
        subprocess.run(["ip", "netns", "del", self.namespace], capture_output=True)
        output("ip", "netns", "add", self.namespace)
        output("ip", "-n", self.namespace, "link", "set", "lo", "up")
        for network, address in self.addresses.items():
            index = self.composition.networks[network]
            inner, outer = f"eth{index}", f"rt{index}x{address.rsplit('.', 1)[1]}"
            subprocess.run(["ip", "link", "del", outer], capture_output=True)
            output("ip", "link", "add", outer, "type", "veth", "peer", "name", inner, "netns", self.namespace)
            output("ip", "link", "set", outer, "master", f"{BRIDGE}{index}", "up")
            output("ip", "-n", self.namespace, "addr", "add", f"{address}/24", "dev", inner)
            output("ip", "-n", self.namespace, "link", "set", inner, "up")

    def launch(self, apart):
        file = self.composition.folder / "run" / f"{self.name}.json"
        file.write_text(json.dumps(self.specification))
        with open(self.log_file, "ab") as log, open(self.output_file if apart else os.devnull, "wb") as printed:
            self.process = subprocess.Popen(
                ["ip", "netns", "exec", self.namespace, "unshare", "--pid", "--fork", "--kill-child", "--mount", "--ipc", "--uts",
                 "/usr/bin/python3", HERE / "enter.py", file],
                stdin=subprocess.DEVNULL, stdout=printed if apart else log, stderr=log, preexec_fn=self.limits.join, start_new_session=True)

    @property
    def running(self):
        return self.process is not None and self.process.poll() is None

    def first(self):
        """The host's number of its process 1, or None if there is none, yet or any more."""
        try:
            children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        except OSError:
            return None
        return int(children[0]) if children else None

    def processes(self):
        """The host's numbers of all its processes."""
        found = set()
        for group in self.limits.groups:
            found |= {int(each) for each in (group / "cgroup.procs").read_text().split()}
        return found - {self.process.pid}

    def execute(self, *command, seconds=30):
        """A command inside, with the container's user and rights: (exit status, output)."""
        run = subprocess.run(
            ["nsenter", "--target", str(self.first()), "--mount", "--pid", "--net", "--ipc", "--uts", "--root", "--wd", "setpriv",
             "--reuid", str(self.user), "--regid", str(self.group), "--clear-groups", "--bounding-set=-all", "--inh-caps=-all",
             "--no-new-privs", "--", *command],
            env=self.specification["environment"], capture_output=True, text=True, timeout=seconds)
        return run.returncode, run.stdout + run.stderr

    def healthy(self):
        if not self.running:
            raise RuntimeError(f"{self.name} ended with {self.process.returncode}: {self.log()[-2000:]}")
        if self.first() is None:
            return False
        if self.health is None:
            return True
        status, _ = self.execute(*(self.health[1:] if self.health[0] == "CMD" else ["sh", "-c", self.health[1]]))
        return status == 0

    def await_health(self, seconds=60):
        until(self.healthy, f"{self.name} is healthy: {self.log()[-1000:]}", seconds)
        return self

    def wait(self, seconds):
        """Its exit status once it has ended."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise TimeoutError(f"{self.name} still ran after {seconds} s: {self.log()[-2000:]}") from None

    def stop(self):
        """Asks it to end, and returns the seconds until it did; as Docker, kills it after its grace."""
        started = time.monotonic()
        if (first := self.first()) is not None:
            os.kill(first, self.stop_signal)
        try:
            self.process.wait(self.grace)
        except subprocess.TimeoutExpired:
            self.kill()
            raise TimeoutError(f"{self.name} did not end within {self.grace} s") from None
        return time.monotonic() - started

    def kill(self):
        if (first := self.first()) is not None:
            # It can end by itself meanwhile.
            with contextlib.suppress(ProcessLookupError):
                os.kill(first, signal.SIGKILL)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            # With `unshare`, process 1 of the container ends.
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(10)

    def log(self):
        return self.log_file.read_text(errors="replace") if self.log_file.exists() else ""

    def address(self, network):
        return self.addresses[network]

    def remove(self):
        if self.running:
            self.kill()
        subprocess.run(["ip", "netns", "del", self.namespace], capture_output=True)
        subprocess.run(["buildah", "rm", self.working], capture_output=True)
        self.limits.remove()
