"""Inside a container's new namespaces: its file system, its rights, then its program, as process 1: enter.py SPECIFICATION.json

Run by containers.py as root. What it sets up is what Docker gives a container: a root file system that may be read-only, its own /proc and
/dev, tmpfs, secrets and volumes; no capabilities and no new privileges; Docker's default seccomp profile.
"""

import ctypes
import json
import os
import pathlib
import platform
import resource
import signal
import subprocess
import sys

import seccomp

PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 24, 38
HARDENED = "nosuid,nodev,noexec"
# Readable and nothing else, as Docker gives them.
READ_ONLY_PROC = ["bus", "fs", "irq", "sys", "sysrq-trigger"]
# Empty, as Docker gives them.
MASKED = [
    "proc/acpi", "proc/asound", "proc/interrupts", "proc/kcore", "proc/keys", "proc/latency_stats", "proc/sched_debug", "proc/scsi",
    "proc/timer_list", "proc/timer_stats", "sys/devices/virtual/powercap", "sys/firmware"]
UNKNOWN_CALL = -1
COMPARISONS = {
    "SCMP_CMP_EQ": seccomp.EQ, "SCMP_CMP_NE": seccomp.NE, "SCMP_CMP_MASKED_EQ": seccomp.MASKED_EQ, "SCMP_CMP_GT": seccomp.GT,
    "SCMP_CMP_GE": seccomp.GE, "SCMP_CMP_LT": seccomp.LT, "SCMP_CMP_LE": seccomp.LE,
}
ARCHITECTURES = {"x86_64": {"amd64", "x32"}, "aarch64": {"arm64"}}
libc = ctypes.CDLL(None, use_errno=True)


def mount(*arguments):
    subprocess.run(["mount", *map(str, arguments)], check=True)


def bind(source, target, read_only=False):
    mount("--bind", source, target)
    if read_only:
        mount("-o", "remount,bind,ro", target)


def profile_filter(file):
    """The rules of Docker's profile that hold for a container without capabilities on this machine."""
    profile = json.loads(pathlib.Path(file).read_text())
    here = ARCHITECTURES[platform.machine()]
    kernel = tuple(int(part) for part in platform.release().split(".")[:2])
    made = seccomp.SyscallFilter(seccomp.ERRNO(profile.get("defaultErrnoRet", 1)))
    if platform.machine() == "x86_64":
        made.add_arch(seccomp.Arch.X86)
        made.add_arch(seccomp.Arch.X32)
    for rule in profile["syscalls"]:
        included, excluded = rule.get("includes") or {}, rule.get("excludes") or {}
        oldest = included.get("minKernel")
        if included.get("caps") or included.get("arches") and not here & set(included["arches"]):
            continue
        if here & set(excluded.get("arches") or []) or oldest and kernel < tuple(int(part) for part in oldest.split(".")[:2]):
            continue
        action = seccomp.ALLOW if rule["action"] == "SCMP_ACT_ALLOW" else seccomp.ERRNO(rule.get("errnoRet") or 1)
        conditions = [
            seccomp.Arg(each["index"], COMPARISONS[each["op"]], *(
                [each["value"], each.get("valueTwo", 0)] if each["op"] == "SCMP_CMP_MASKED_EQ" else [each["value"]]))
            for each in rule.get("args") or []]
        for name in rule.get("names") or [rule["name"]]:
            # The profile names calls of all architectures, and newer ones than this version of libseccomp knows.
            if seccomp.resolve_syscall(seccomp.Arch(), name) != UNKNOWN_CALL:
                made.add_rule(action, name, *conditions)
    return made


def inside(root, path):
    """Where a path of the container is, with its links followed within the container."""
    place = root
    for part in pathlib.PurePosixPath(path).parts[1:]:
        place = place / part
        if place.is_symlink():
            target = os.path.normpath(os.path.join("/", place.parent.relative_to(root), os.readlink(place)))
            place = inside(root, target)
    return place


def file_system(container, root):
    """Mounts everything under `root`, while this process still sees the host's files."""
    mount("--make-rprivate", "/")
    bind(container["image_root"], root)
    for folder in ["/proc", "/dev", "/sys", *(each["path"] for each in container["tmpfs"])]:
        inside(root, folder).mkdir(parents=True, exist_ok=True)
    mount("-t", "proc", "-o", HARDENED, "proc", root / "proc")
    mount("-t", "sysfs", "-o", f"{HARDENED},ro", "sysfs", root / "sys")
    mount("-t", "tmpfs", "-o", "nosuid,mode=755,size=64m", "tmpfs", root / "dev")
    for device in ("null", "zero", "full", "random", "urandom", "tty"):
        (root / "dev" / device).touch()
        bind(f"/dev/{device}", root / "dev" / device)
    (root / "dev/shm").mkdir()
    mount("-t", "tmpfs", "-o", f"{HARDENED},mode=1777,size={container['shm_size']}", "shm", root / "dev/shm")
    for name, target in {"fd": "fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"}.items():
        (root / "dev" / name).symlink_to(f"/proc/self/{target}")
    for each in container["tmpfs"]:
        mount("-t", "tmpfs", "-o", ",".join(filter(None, [HARDENED, each["options"]])), "tmpfs", inside(root, each["path"]))
    # After the tmpfs, where some of these are.
    hosts = {"source": container["hosts"], "target": "/etc/hosts", "read_only": True}
    for each in [hosts, *container["secrets"], *container["volumes"]]:
        place = inside(root, each["target"])
        if pathlib.Path(each["source"]).is_dir():
            place.mkdir(parents=True, exist_ok=True)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch()
        bind(each["source"], place, read_only=each["read_only"])
    for name in READ_ONLY_PROC:
        if (root / "proc" / name).exists():
            bind(root / "proc" / name, root / "proc" / name, read_only=True)
    for place in (root / each for each in MASKED):
        if place.is_dir():
            mount("-t", "tmpfs", "-o", f"{HARDENED},ro,size=0", "tmpfs", place)
        elif place.exists():
            bind("/dev/null", place)
    if container["read_only"]:
        mount("-o", "remount,bind,ro", root)


def main(file):
    container = json.loads(pathlib.Path(file).read_text())
    filters = profile_filter(container["seccomp"])
    root = pathlib.Path(container["mount_point"])
    file_system(container, root)
    name = container["name"].encode()
    libc.sethostname(name, len(name))
    files = min(container["nofile"], resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.chroot(root)
    os.chdir(container["working_directory"])
    for capability in range(64):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    os.setgroups([])
    os.setgid(container["group"])
    os.setuid(container["user"])
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError("no_new_privs could not be set")
    os.umask(0o022)
    for each in (signal.SIGPIPE, signal.SIGINT, signal.SIGXFSZ):
        signal.signal(each, signal.SIG_DFL)
    filters.load()
    os.execvpe(container["arguments"][0], container["arguments"], container["environment"])


if __name__ == "__main__":
    main(sys.argv[1])
