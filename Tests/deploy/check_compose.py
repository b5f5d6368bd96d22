"""Checks docker-compose.yml without running Docker, and compares it with the local stack and the sources.

scripts/service-env.list says which variables each service reads. Run by `make test`, or alone: python3 Tests/deploy/check_compose.py
"""

import copy
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import compose
import dockerfile
import tools

ROOT = pathlib.Path(__file__).resolve().parents[2]
SERVICES = ["gateway", "attestation-verifier", "depth-analyzer", "upload-sync", "evidence-assembler", "transparency-log"]
JOBS = ["migrate", "open-log", "log-policy", "topics", "bucket"]
# What runs around the log, elsewhere by others: their own state, and the policy that a job writes.
LOG_PARTS = ["witness-1", "witness-2", "monitor"]
# Started by hand, for one command.
TOOLS = ["rial"]
POLICY = "log-policy:/var/lib/rial/policy:ro"
INFRASTRUCTURE = ["postgres", "kafka", "s3"]


def service_settings():
    """scripts/service-env.list: ({service: {variable: kind}}, {service: {port name: number}})."""
    variables = {service: {} for service in SERVICES}
    ports = {service: {} for service in SERVICES}
    for line in (ROOT / "scripts/service-env.list").read_text().splitlines():
        fields = line.split("#")[0].split()
        if not fields:
            continue
        if fields[0] == "port":
            for service in SERVICES if fields[1] == "*" else [fields[1]]:
                ports[service][fields[2]] = int(fields[3])
            continue
        name, services, kind = fields
        assert kind in ("plain", "secret", "optional", "optional-secret", "composed", "composed-secret", "image"), f"{name}: unknown kind {kind}"
        for service in SERVICES if services == "*" else services.split(","):
            assert name not in variables[service], f"{name} is listed twice for {service}"
            variables[service][name] = kind
    return variables, ports


def mounted(service):
    """{path in the container: name of the secret}"""
    secrets = {}
    for entry in service.get("secrets", []):
        source, target = (entry, entry) if isinstance(entry, str) else (entry["source"], entry.get("target", entry["source"]))
        secrets[target if target.startswith("/") else f"/run/secrets/{target}"] = source
    return secrets


def volumes(service):
    """Each as "source:target", with ":ro" if it is only read."""
    for entry in service.get("volumes") or []:
        if isinstance(entry, str):
            yield entry.removesuffix(":rw")
        else:
            yield f"{entry['source']}:{entry['target']}" + (":ro" if entry.get("read_only") else "")


def log_problems(config):
    """Two witnesses, each with a store of its own, which no service can reach or write; and a monitor that sees what a stranger sees."""
    problems = []
    writers = {}
    for name, service in config["services"].items():
        for entry in volumes(service):
            if not entry.endswith(":ro"):
                writers.setdefault(entry.split(":")[0], set()).add(name)
    wanted = {"log-policy": {"log-policy"}, "monitor-data": {"monitor"}}
    wanted |= {f"witness-{number}-data": {"log-policy", f"witness-{number}"} for number in (1, 2)}
    problems += [f"{volume}: is written by {sorted(writers.get(volume, set()))}" for volume, own in wanted.items() if writers.get(volume) != own]
    for name in LOG_PARTS:
        service = config["services"][name]
        needed = {"RIAL_PUBLIC_URL", "RIAL_LOG_POLICY"} if name == "monitor" else set()
        if set(service.get("environment") or {}) != needed or service.get("secrets") or service.get("ports"):
            problems.append(f"{name}: has what it does not need, or lacks what it does")
        if set(service.get("networks") or ["default"]) != ({"public", "witnesses"} if name == "monitor" else {"witnesses"}):
            problems.append(f"{name}: is in other networks than its own")
        if POLICY not in volumes(service):
            problems.append(f"{name}: cannot read the policy, or could write it")
    for name in ("gateway", "transparency-log"):
        if POLICY not in volumes(config["services"][name]):
            problems.append(f"{name}: cannot read the policy, or could write it")
    if len(log_policies(config)) != 1:
        problems.append("gateway, transparency-log and monitor: have not one policy")
    return problems


def log_policies(config):
    readers = ("gateway", "transparency-log", "monitor")
    return {(config["services"][name].get("environment") or {}).get("RIAL_LOG_POLICY") for name in readers}


def monitored(service, policy, folder):
    """The words after `rial log monitor` that the monitor's script comes to, with a policy's path or text."""
    # As version 2 of compose prints it, and version 1.
    script = service["command"][0].replace("$$", "$").replace("/opt/rial/rial log monitor", "printf '%s\\n'").replace("exec ", "")
    environment = service["environment"] | {"RIAL_LOG_POLICY": policy, "PATH": os.environ["PATH"]}
    words = [*service["entrypoint"], script.replace("/tmp/policy", f"{folder}/text")]
    return subprocess.run(words, env=environment, check=True, capture_output=True, text=True).stdout.splitlines()


def environment_problems(config, variables, ports):
    """Each service gets exactly the listed variables, and secrets only as mounted files."""
    problems = []
    for name in SERVICES:
        service = config["services"][name]
        given = service["environment"]
        expected = {variable + "_FILE" if kind.endswith("secret") else variable for variable, kind in variables[name].items() if kind != "image"}
        problems += [f"{name}: {variable} is not set" for variable in sorted(expected - set(given))]
        problems += [f"{name}: {variable} is not in service-env.list" for variable in sorted(set(given) - expected)]
        for variable, kind in variables[name].items():
            if kind in ("plain", "composed") and not str(given.get(variable) or ""):
                problems.append(f"{name}: {variable} is empty")
            if kind in ("secret", "composed-secret") and not given.get(variable + "_FILE"):
                problems.append(f"{name}: {variable}_FILE is empty")
            if kind.startswith("optional") and given.get(variable + "_FILE" * kind.endswith("secret")):
                problems.append(f"{name}: {variable} should be empty unless the caller sets it")
        for variable, port in (("RIAL_ADMIN_PORT", ports[name]["admin"]), ("RIAL_HTTP_PORT", ports[name].get("http"))):
            if port is not None and str(given.get(variable)) != str(port):
                problems.append(f"{name}: {variable} is {given.get(variable)}, not {port}")
    for name in SERVICES + JOBS + INFRASTRUCTURE + TOOLS:
        service = config["services"][name]
        paths = mounted(service)
        for variable, value in (service.get("environment") or {}).items():
            if variable.endswith("_FILE") and value and value not in paths:
                problems.append(f"{name}: {variable} names {value}, which is not mounted")
            if re.search("PASSWORD|SECRET|KEY_ID|LINK_KEY|ADMIN_TOKEN|DATABASE_URL", variable) and not re.search("_FILE$|_DIR$", variable):
                problems.append(f"{name}: {variable} is a secret and not a file")
    for name in SERVICES:
        own = "database_url_" + name.replace("-", "_")
        if mounted(config["services"][name]).get("/run/secrets/database_url") != own:
            problems.append(f"{name}: connects with another role than its own")
        for secret in ("s3_access_key_id", "s3_secret_access_key"):
            if mounted(config["services"][name]).get(f"/run/secrets/{secret}") != f"{secret}_{name.replace('-', '_')}":
                problems.append(f"{name}: is another identity than its own in the object store")
    return problems


def start_problems(config, ports):
    """Images, health checks, start order, published ports."""
    problems = []
    stages = set(re.findall(r"^FROM \S+ AS (\S+)$", (ROOT / "deploy/Dockerfile").read_text(), re.M))
    for name, service in config["services"].items():
        version = service["image"].rpartition(":")[2] if ":" in service["image"] else "latest"
        if version == "latest":
            problems.append(f"{name}: the image has no version")
        if "build" in service and service["build"].get("target") not in stages:
            problems.append(f"{name}: deploy/Dockerfile has no stage {service['build'].get('target')}")
        for other, how in service.get("depends_on", {}).items():
            wanted = "service_completed_successfully" if other in JOBS else "service_healthy"
            if how["condition"] != wanted:
                problems.append(f"{name}: waits for {other} by {how['condition']}")
            if wanted == "service_healthy" and "healthcheck" not in config["services"][other]:
                problems.append(f"{other}: {name} waits for its health, but nothing checks it")
    for name in SERVICES:
        service = config["services"][name]
        if service["build"]["target"] != name:
            problems.append(f"{name}: built from stage {service['build']['target']}")
        if service.get("healthcheck", {}).get("test") != ["CMD", f"/opt/rial/{name}", "healthcheck"]:
            problems.append(f"{name}: the health check does not ask the service itself")
        if set(service.get("depends_on", {})) != set(JOBS + INFRASTRUCTURE):
            problems.append(f"{name}: does not wait for all its dependencies")
        published = [compose.target_port(entry) for entry in service.get("ports", [])]
        if published != ([ports[name]["http"]] if "http" in ports[name] else []):
            problems.append(f"{name}: publishes {published}")
    problems += [f"{name}: is published" for name in JOBS + INFRASTRUCTURE + LOG_PARTS + TOOLS if config["services"][name].get("ports")]
    return problems


def hardening_problems(config):
    """Our containers have no root, no writable disk and no capabilities."""
    problems = []
    for name in SERVICES + JOBS + LOG_PARTS + TOOLS:
        service = config["services"][name]
        if str(service.get("user", "0")).split(":")[0] in ("0", "root"):
            problems.append(f"{name}: runs as root")
        if service.get("read_only") is not True:
            problems.append(f"{name}: the root file system is writable")
        if service.get("cap_drop") != ["ALL"] or service.get("cap_add") or service.get("privileged"):
            problems.append(f"{name}: holds capabilities")
        if not any(entry.startswith("/tmp") for entry in compose.listed(service.get("tmpfs"))):
            problems.append(f"{name}: has no /tmp")
        if name in SERVICES + JOBS and name != "log-policy" and set(volumes(service)) - {POLICY}:
            problems.append(f"{name}: keeps state outside PostgreSQL, Kafka and the bucket")
    for name, service in config["services"].items():
        if "no-new-privileges:true" not in service.get("security_opt", []):
            problems.append(f"{name}: may gain privileges")
        if str(service.get("user", "0")).split(":")[0] in ("0", "root") or service.get("cap_drop") != ["ALL"]:
            problems.append(f"{name}: has root's rights")
        # Kafka's start script writes its settings into its program folder.
        if service.get("read_only") is not True and name != "kafka":
            problems.append(f"{name}: the root file system is writable")
        if not service.get("mem_limit") or not service.get("pids_limit"):
            problems.append(f"{name}: may take all memory or all processes")
        if "build" in service and service.get("pull_policy") != "build":
            problems.append(f"{name}: its image could come from a registry")
    return problems


def limit_problems(config):
    """No container takes all files of the host, fills its disk with logs, or its memory with temporary files."""
    problems = []
    for name, service in config["services"].items():
        if not (service.get("ulimits") or {}).get("nofile"):
            problems.append(f"{name}: may open any number of files")
        options = (service.get("logging") or {}).get("options") or {}
        if not options.get("max-size") or not options.get("max-file"):
            problems.append(f"{name}: its logs grow for ever")
        temporary = 0
        for entry in compose.listed(service.get("tmpfs")):
            size = re.search(r"[:,]size=(\d+[kmg])", entry)
            if not size:
                problems.append(f"{name}: {entry} takes as much memory as it likes")
            temporary += bytes_of(size[1]) if size else 0
        if temporary * 2 > bytes_of(str(service.get("mem_limit", "0"))):
            problems.append(f"{name}: its temporary files may take more than half of its memory")
    return problems


def bytes_of(text):
    number, unit = re.fullmatch(r"(\d+)([kmg]?)b?", text).groups()
    return int(number) << {"": 0, "k": 10, "m": 20, "g": 30}[unit]


def seconds_of(text):
    """Of a compose duration: 20s, 1m, 1m30s."""
    return sum(int(number) * {"s": 1, "m": 60}[unit] for number, unit in re.findall(r"(\d+)(s|m)(?!s)", text))


def running_problems(config):
    """Checks that cost little, and nothing that only one instance can have."""
    problems = []
    for name, service in config["services"].items():
        check = service.get("healthcheck")
        if check and seconds_of(check.get("interval", "")) < 20:
            problems.append(f"{name}: a check starts a process every {check.get('interval')}")
        if check and re.search(r"java|/opt/kafka", " ".join(check["test"])):
            problems.append(f"{name}: each check starts a Java machine")
        if service.get("container_name") or service.get("hostname"):
            problems.append(f"{name}: has a name that a second instance cannot have")
    return problems


def tool_problems(config):
    """The operator's container can do what the commands need: as the owner and the operators, by the admin port."""
    service = config["services"]["rial"]
    given, members = service["environment"], set(service["networks"])
    problems = [f"rial: reaches no {part}" for part in (*INFRASTRUCTURE, "attestation-verifier", "gateway")
                if not members & set(config["services"][part]["networks"])]
    wanted = {"database_url": "database_url_owner", "kafka_password": "kafka_password_admin", "s3_access_key_id": "s3_access_key_id",
              "s3_secret_access_key": "s3_secret_access_key", "admin_token": "admin_token"}
    problems += [f"rial: {target} is not {source}" for target, source in wanted.items() if mounted(service).get(f"/run/secrets/{target}") != source]
    for variable in ("RIAL_DATABASE_URL_FILE", "RIAL_KAFKA_BROKERS", "RIAL_S3_ENDPOINT", "RIAL_PUBLIC_URL", "RIAL_ADMIN_ATTESTATION_VERIFIER",
                     "RIAL_ADMIN_TOKEN_FILE", "RIAL_LOG_POLICY"):
        if not given.get(variable):
            problems.append(f"rial: {variable} is not set")
    if given.get("RIAL_KAFKA_SASL_USERNAME") != "rial-admin":
        problems.append("rial: is another user of the broker than the operator")
    if service.get("profiles") != ["tools"] or service.get("depends_on") or service.get("restart") != "no":
        problems.append("rial: starts by itself, or waits for what may be down")
    # The policy is read; its own files are where the image lets it write.
    if set(volumes(service)) != {POLICY, f"operator-data:{service.get('working_dir')}"}:
        problems.append("rial: has no place for its files")
    return problems


def network_problems(config):
    """A service reaches its dependencies and no other service; only the gateway is reachable from outside."""
    problems = []
    members = {name: set(service.get("networks") or ["default"]) for name, service in config["services"].items()}
    inside = {name for name, network in config["networks"].items() if network and network.get("internal")}
    outside = {"gateway": {"public"}, "evidence-assembler": {"outside"}, "transparency-log": {"witnesses"}}
    for name in SERVICES:
        if members[name] - inside != outside.get(name, set()):
            problems.append(f"{name}: is in {sorted(members[name] - inside)}, which lead outside")
        for other in SERVICES:
            if other != name and members[name] & members[other]:
                problems.append(f"{name}: can reach {other}")
        problems += [f"{name}: cannot reach {part}" for part in INFRASTRUCTURE if not members[name] & members[part]]
    for name in JOBS + INFRASTRUCTURE:
        if members[name] - inside:
            problems.append(f"{name}: is in {sorted(members[name] - inside)}, which lead outside")
    for job, part in (("migrate", "postgres"), ("open-log", "postgres"), ("log-policy", "postgres"), ("topics", "kafka"), ("bucket", "s3")):
        if not members[job] & members[part] or any(members[job] & members[name] for name in SERVICES):
            problems.append(f"{job}: is not in a network with {part} alone")
    return problems


def broker_problems(config):
    """Every client uses the broker over TLS, as its own user, with no rights but those of the access table."""
    problems = []
    kafka = config["services"]["kafka"]["environment"]
    protocols = dict(entry.split(":") for entry in kafka["KAFKA_LISTENER_SECURITY_PROTOCOL_MAP"].split(","))
    for listener in kafka["KAFKA_LISTENERS"].split(","):
        name, _, address = listener.partition("://")
        if protocols.get(name) != "SASL_SSL" and not (address.startswith("127.0.0.1:") and protocols.get(name) == "SASL_PLAINTEXT"):
            problems.append(f"kafka: listens to {listener} by {protocols.get(name)}")
    if "StandardAuthorizer" not in kafka.get("KAFKA_AUTHORIZER_CLASS_NAME", "") or kafka.get("KAFKA_ALLOW_EVERYONE_IF_NO_ACL_FOUND") != "false":
        problems.append("kafka: users without rights may do everything")
    if set(kafka.get("KAFKA_SUPER_USERS", "").split(";")) != {"User:broker", "User:rial-admin"}:
        problems.append("kafka: has other super users than itself and the operator's jobs")
    if "--access" not in config["services"]["topics"]["command"]:
        problems.append("topics: sets no access rights")
    users = {name: (name, "kafka_password_" + name.replace("-", "_")) for name in SERVICES} | {"topics": ("rial-admin", "kafka_password_admin")}
    for name, (user, password) in users.items():
        service = config["services"][name]
        given = service["environment"]
        if given.get("RIAL_KAFKA_SECURITY_PROTOCOL") != "SASL_SSL" or given.get("RIAL_KAFKA_CA") not in mounted(service):
            problems.append(f"{name}: uses the broker without TLS, or without checking its certificate")
        if given.get("RIAL_KAFKA_SASL_USERNAME") != user or mounted(service).get(given.get("RIAL_KAFKA_SASL_PASSWORD_FILE")) != password:
            problems.append(f"{name}: does not log in to the broker as {user}")
    return problems


def store_problems(config):
    """Only the object store's S3 port is reachable; its internal ports require a certificate that no client has. Its disk is its limit."""
    store = config["services"]["s3"]
    problems = []
    if not {"-ip=127.0.0.1", "-ip.bind=127.0.0.1"} <= set(store["command"]):
        problems.append("s3: master, volumes and filer can be reached")
    if "-volume.max=0" not in store["command"]:
        problems.append("s3: takes no more than a number of volumes, whatever the disk has")
    entries = [entry if isinstance(entry, str) else f"{entry['source']}:{entry['target']}" for entry in store.get("volumes", [])]
    if not any("seaweedfs-security.toml:/etc/seaweedfs/security.toml" in entry for entry in entries):
        problems.append("s3: its internal gRPC ports require no certificate")
    used = set(re.findall(r'"(/run/secrets/[^"]+)"', (ROOT / "deploy/seaweedfs-security.toml").read_text()))
    return problems + [f"s3: {path} is not mounted" for path in sorted(used - set(mounted(store)))]


def source_problems(variables):
    """Every variable in the Swift sources is listed for the service that reads it."""
    problems = []
    folders = {name: ROOT / "Services" / name for name in SERVICES}
    for name, folder in folders.items():
        for shared in (folder, ROOT / "Shared/ServiceRuntime", ROOT / "Shared/Delivery", ROOT / "Shared/Observability"):
            for path in sorted(shared.rglob("*.swift")):
                for variable in re.findall(r'"((?:RIAL|OTEL)_[A-Z0-9_]+)"', path.read_text()):
                    if not variable.endswith("_FILE") and variable not in variables[name]:
                        problems.append(f"{path.relative_to(ROOT)} reads {variable}, which service-env.list does not give {name}")
    return problems


class ComposeTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.config = compose.load(ROOT)
        cls.variables, cls.ports = service_settings()

    def problems(self, config):
        return environment_problems(config, self.variables, self.ports) + start_problems(config, self.ports) + (
            hardening_problems(config) + network_problems(config) + broker_problems(config) + store_problems(config) + log_problems(config)
            + limit_problems(config) + running_problems(config) + tool_problems(config))

    def test_it_is_in_step_with_the_list_and_hardened(self):
        self.assertEqual(self.problems(self.config), [])
        self.assertEqual(set(self.config["services"]), set(SERVICES + JOBS + INFRASTRUCTURE + LOG_PARTS + TOOLS))

    def test_the_sources_read_nothing_that_is_not_listed(self):
        self.assertEqual(source_problems(self.variables), [])

    def test_the_local_stack_sets_what_the_list_says(self):
        for service, variables in self.variables.items():
            told = subprocess.run(
                [ROOT / "scripts/stack.sh", "variables", service], check=True, capture_output=True, text=True).stdout.split()
            self.assertEqual(sorted(told), sorted(name for name, kind in variables.items() if kind in ("plain", "secret")))
        cases = (ROOT / "scripts/stack/services.sh").read_text()
        for variable in {name for given in self.variables.values() for name, kind in given.items() if kind in ("plain", "secret")}:
            self.assertRegex(cases, rf"(?m)^    (\S+ \| )*{variable}( \| \S+)*\)", "stack_value has no value for it")

    def test_every_secret_is_made_and_has_an_example(self):
        wanted = {pathlib.Path(secret["file"]).name for secret in self.config["secrets"].values()}
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(2):
                subprocess.run([ROOT / "deploy/make-secrets.sh", folder], check=True, capture_output=True)
                made = {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()}
                self.assertEqual(set(made), wanted)
                self.assertTrue(all(made.values()))
            again = {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()}
            self.assertEqual(made, again, "a second run changed a secret")
            self.assertIn(made["rial_gateway"], made["database_url_gateway"])
            users = made["kafka_users"].decode()
            for name in SERVICES:
                self.assertIn(f'user_{name}="{made["kafka_password_" + name.replace("-", "_")].decode()}"', users)
            self.assertIn(f'user_rial-admin="{made["kafka_password_admin"].decode()}"', users)
            for root, certificate in (("kafka_ca", "kafka_certificate"), ("s3_internal_ca", "s3_internal_certificate")):
                subprocess.run(["openssl", "verify", "-CAfile", root, certificate], cwd=folder, check=True, capture_output=True)
            names = subprocess.run(
                ["openssl", "x509", "-noout", "-checkhost", "kafka", "-in", "kafka_certificate"], cwd=folder, capture_output=True, text=True)
            self.assertIn("does match", names.stdout)
        examples = {path.name.removesuffix(".example") for path in (ROOT / "deploy/secrets").glob("*.example")}
        # The tokens' PINs are mounted only by the files for tokens, certificate and key of the site by that for TLS.
        self.assertEqual(examples, wanted | {"c2pa_pkcs11_pin", "log_pkcs11_pin", "tls_certificate", "tls_key"})

    def test_a_token_can_hold_the_signing_key_and_one_that_of_the_log(self):
        for service, file, key in (
            ("evidence-assembler", "docker-compose.pkcs11.yml", "C2PA"), ("transparency-log", "docker-compose.log-pkcs11.yml", "LOG"),
        ):
            with self.subTest(service):
                settings = {f"RIAL_{key}_PKCS11_TOKEN": "rial", f"RIAL_{key}_PKCS11_KEY": "signer", "RIAL_PKCS11_MODULE_FILE": "/usr/lib/token.so"}
                config = compose.load(ROOT, file, **settings)["services"][service]
                given = config["environment"]
                # Both, or a PIN that `docker inspect` shows, would stop or betray it.
                self.assertFalse(given[f"RIAL_{key}_PRIVATE_KEY_FILE"])
                self.assertNotIn(f"RIAL_{key}_PKCS11_PIN", given)
                self.assertEqual(mounted(config)[given[f"RIAL_{key}_PKCS11_PIN_FILE"]], f"{key.lower()}_pkcs11_pin")
                self.assertIn(f"/usr/lib/token.so:{given[f'RIAL_{key}_PKCS11_MODULE']}:ro", volumes(config))
                # Without the file, by settings alone.
                plain = compose.load(ROOT, **{f"RIAL_{key}_PRIVATE_KEY_FILE": ""})["services"][service]["environment"]
                self.assertFalse(plain[f"RIAL_{key}_PRIVATE_KEY_FILE"])
                for missing in settings:
                    with self.assertRaises(RuntimeError):
                        compose.load(ROOT, file, **{name: value for name, value in settings.items() if name != missing})

    def test_the_example_of_a_token_in_software_is_as_hardened_as_the_rest(self):
        services = compose.load(ROOT, "docker-compose.softhsm.yml")["services"]
        service, token = services["evidence-assembler"], services["token"]
        given = service["environment"]
        self.assertFalse(given["RIAL_C2PA_PRIVATE_KEY_FILE"])
        self.assertEqual(mounted(service)[given["RIAL_C2PA_PKCS11_PIN_FILE"]], "c2pa_pkcs11_pin")
        self.assertEqual(set(mounted(token).values()), {"c2pa_private_key", "c2pa_pkcs11_pin"})
        for each in (service, token):
            self.assertEqual(each["build"]["target"], "evidence-assembler-softhsm")
            self.assertIn("tokens:/var/lib/rial/tokens", list(volumes(each)))
            self.assertEqual((each["user"], each["read_only"], each["cap_drop"]), ("10001:10001", True, ["ALL"]))
        self.assertEqual(token["network_mode"], "none")
        stages = dockerfile.stages((ROOT / "deploy/Dockerfile").read_text())
        self.assertEqual(stages["evidence-assembler-softhsm"][0], "evidence-assembler")
        users = [arguments for name, arguments in stages["evidence-assembler-softhsm"][1] if name == "USER"]
        self.assertEqual(users[-1], "10001:10001")

    def test_the_token_gets_the_key_once_and_a_renewed_key_in_its_place(self):
        script = compose.load(ROOT, "docker-compose.softhsm.yml")["services"]["token"]["command"][0].replace("$$", "$")
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for secret in ("c2pa_private_key", "c2pa_pkcs11_pin"):
                (folder / secret).write_text(secret)
            # Stands in for the token: a file that has the key.
            (folder / "softhsm2-util").write_text(f"""#!/bin/sh
                echo "$1" >>{folder}/calls
                case $1 in
                --show-slots) if [ -e {folder}/token ]; then echo "    Label:            rial"; fi ;;
                --delete-token) rm {folder}/token ;;
                --init-token) [ ! -e {folder}/token ] && touch {folder}/token ;;
                --import) [ -e {folder}/token ] && [ ! -e {folder}/fails ] && cat "$2" >{folder}/token ;;
                esac""")
            (folder / "softhsm2-util").chmod(0o755)
            script = script.replace("/run/secrets/", f"{folder}/").replace("/var/lib/rial/tokens/", f"{folder}/")

            def run():
                (folder / "calls").write_text("")
                environment = os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"}
                run = subprocess.run(["/bin/sh", "-euc", script], env=environment, capture_output=True, text=True)
                return run.returncode, (folder / "token").read_text(), "--import" in (folder / "calls").read_text()

            self.assertEqual(run(), (0, "c2pa_private_key", True))
            self.assertEqual(run(), (0, "c2pa_private_key", False))
            (folder / "c2pa_private_key").write_text("renewed")
            (folder / "fails").touch()
            self.assertNotEqual(run()[0], 0)
            (folder / "fails").unlink()
            self.assertEqual(run(), (0, "renewed", True))
            self.assertEqual(run(), (0, "renewed", False))

    def test_the_project_has_its_name_and_a_trial_another(self):
        names = [re.findall(r"(?m)^name: (\S+)$", (ROOT / file).read_text()) for file in ("docker-compose.yml", "docker-compose.trial.yml")]
        self.assertEqual(names, [["rial"], ["rial-trial"]])
        self.assertRegex((ROOT / "docker-compose.yml").read_text(), r"(?m)^  start_interval: 2s$")

    def test_compose_holds_it_to_its_schema(self):
        # Reading it is the check; this is what it would find.
        text = (ROOT / "docker-compose.yml").read_text()
        for right, wrong in (("mem_limit: 2g", "memory_limit: 2g"), ("networks: [jobs]", "networks: jobs"), ("read_only: true", "readonly: true")):
            with tempfile.TemporaryDirectory() as folder:
                self.assertIn(right, text)
                (pathlib.Path(folder) / "docker-compose.yml").write_text(text.replace(right, wrong, 1))
                with self.assertRaisesRegex(RuntimeError, "could not be read", msg=wrong):
                    compose.load(pathlib.Path(folder))

    def test_services_can_be_scaled(self):
        ports = compose.load(ROOT, RIAL_HTTP_PORT="8080-8083")["services"]["gateway"]["ports"]
        self.assertEqual([compose.target_port(entry) for entry in ports], [8080])
        self.assertIn("8080-8083", str(ports))

    def test_a_trial_takes_simulated_devices_and_nothing_of_the_real_installation(self):
        with self.assertRaises(RuntimeError):
            compose.load(ROOT, "docker-compose.trial.yml")
        config = compose.load(ROOT, "docker-compose.trial.yml", RIAL_SECRETS_DIR=".local/trial")
        services = config["services"]
        for name in SERVICES + TOOLS:
            self.assertEqual(services[name]["environment"]["RIAL_MODE"], "development", name)
        verifier, device = services["attestation-verifier"], services["rial"]
        self.assertEqual(verifier["environment"]["RIAL_APP_ATTEST_ENVIRONMENT"], "development")
        folder = services["development-root"]["command"][-1]
        self.assertEqual(services["development-root"]["command"][:-1], ["admin", "development-root", "--out"])
        self.assertEqual(verifier["environment"]["RIAL_APP_ATTEST_EXTRA_ROOTS"], f"{folder}/app-attest-root.pem")
        self.assertEqual(device["environment"]["RIAL_DEVELOPMENT_ROOT_DIR"], folder)
        self.assertEqual(device["environment"]["RIAL_APP_IDS"], verifier["environment"]["RIAL_APP_IDS"])
        for service, mode in ((services["development-root"], ""), (verifier, ":ro"), (device, ":ro")):
            self.assertIn(f"trial:{folder}{mode}", volumes(service))
        self.assertIn("development-root", verifier["depends_on"])
        # The image gives the volume its owner.
        self.assertIn(f"/{pathlib.Path(folder).name};", "/" + (ROOT / "deploy/Dockerfile").read_text().split("for folder in ")[1].split(" do ")[0].split()[-1])
        self.assertEqual({pathlib.Path(secret["file"]).parent for secret in config["secrets"].values()}, {ROOT / ".local/trial"})
        found = hardening_problems(config) + limit_problems(config)
        # Version 1 of compose loses the key when it merges files.
        found = [problem for problem in found if problem != "development-root: its image could come from a registry"]
        self.assertRegex((ROOT / "docker-compose.trial.yml").read_text(), r"development-root:\n.*\n    pull_policy: build\n")
        self.assertEqual([problem for problem in found if problem.startswith("development-root")], [])

    def test_the_gateway_can_speak_tls(self):
        with self.assertRaises(RuntimeError):
            compose.load(ROOT, "docker-compose.tls.yml")
        services = compose.load(ROOT, "docker-compose.tls.yml", RIAL_PUBLIC_URL="https://rial.example")["services"]
        given, paths = services["gateway"]["environment"], mounted(services["gateway"])
        self.assertEqual(paths[given["RIAL_TLS_CERTIFICATE"]], "tls_certificate")
        self.assertEqual(paths[given["RIAL_TLS_KEY"]], "tls_key")
        self.assertEqual([name for name, service in services.items() if "tls_key" in mounted(service).values()], ["gateway"])
        self.assertNotIn("http://gateway", " ".join(services["monitor"]["command"]))
        self.assertEqual(services["monitor"]["environment"]["RIAL_PUBLIC_URL"], "https://rial.example")
        self.assertEqual(services["monitor"]["command"], self.config["services"]["monitor"]["command"])

    def test_the_monitor_follows_the_last_log_of_the_policy_that_services_have(self):
        lines = [f"log rial.example/log/{shard}+531d8d44+Afi/log/9 https://rial.example/log/{shard}/" for shard in ("2026", "2027")]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "policy"
            for shard, logs in (("2026", lines[:1]), ("2027", lines), ("2027", [lines[0], lines[1].rsplit(" ", 1)[0]])):
                text = "\n".join([*logs, "quorum none"])
                path.write_text(text + "\n")
                for policy, read in ((str(path), path), (text, path.with_name("text"))):
                    with self.subTest(shard=shard, policy=policy):
                        said = monitored(self.config["services"]["monitor"], policy, folder)
                        self.assertEqual(said, [
                            f"http://gateway:8080/log/{shard}/", "--policy", str(read), "--state", f"/var/lib/rial/monitor/state/{shard}"])
                        self.assertEqual(read.read_text(), text + "\n")
        self.assertEqual(log_policies(compose.load(ROOT, RIAL_LOG_POLICY="/etc/policy")), {"/etc/policy"})

    def test_so_does_that_of_the_local_stack(self):
        script = f"""
            is_running() {{ false; }}
            launch() {{ shift 4; printf '%s\\n' "$@"; }}
            write_file() {{ cat >"$1"; }}
            source {ROOT}/scripts/stack/log.sh
            echo http://127.0.0.1:1/log/2027/ >"$LOG_PREFIX_FILE"
            start_log_part monitor
            """
        with tempfile.TemporaryDirectory() as folder:
            for given, policy in (("", "log-policy"), (f"{folder}/other", "other"), ("log a\nquorum none", "monitor-policy")):
                environment = {"HOME_DIR": folder, "BIN": "/bin", "PATH": os.environ["PATH"], "RIAL_LOG_POLICY": given}
                run = subprocess.run(["bash", "-euc", script], env=environment, check=True, capture_output=True, text=True)
                self.assertEqual(run.stdout.splitlines(), [
                    "http://127.0.0.1:1/log/2027/", "--policy", f"{folder}/{policy}", "--state", f"{folder}/monitor/2027"])

    def test_no_secret_can_be_committed_or_reach_an_image(self):
        self.assertIn("*", (ROOT / "deploy/secrets/.gitignore").read_text().split())
        self.assertTrue(dockerfile.is_ignored((ROOT / ".dockerignore").read_text(), "deploy/secrets/link_key"))

    def test_each_check_finds_what_it_looks_for(self):
        def change(path, value):
            return lambda config: tools.put(config["services"], path, value)

        mutations = {
            "a missing variable": change(("gateway", "environment", "RIAL_PUBLIC_URL"), None),
            "a foreign variable": change(("depth-analyzer", "environment", "RIAL_LINK_KEY_FILE"), "/run/secrets/link_key"),
            "a secret in the environment": change(("gateway", "environment", "RIAL_LINK_KEY"), "00"),
            "an unmounted secret": change(("upload-sync", "secrets"), []),
            "the role of another": change(
                ("upload-sync", "secrets", 0), {"source": "database_url_gateway", "target": "database_url"}),
            "a preset limit": change(("gateway", "environment", "RIAL_LIMIT_CAPTURES_BURST"), "5"),
            "another admin port": change(("upload-sync", "environment", "RIAL_ADMIN_PORT"), 9091),
            "root": change(("gateway", "user"), "0:0"),
            "a witness as root": change(("witness-1", "user"), None),
            "a writable disk": change(("migrate", "read_only"), False),
            "capabilities": change(("topics", "cap_drop"), None),
            "an unversioned image": change(("kafka", "image"), "apache/kafka"),
            "no health check": change(("kafka", "healthcheck"), None),
            "a shell in the health check": change(("gateway", "healthcheck", "test"), ["CMD-SHELL", "curl localhost:9090/readyz"]),
            "too early a start": change(("gateway", "depends_on", "postgres", "condition"), "service_started"),
            "a job not waited for": change(("depth-analyzer", "depends_on", "migrate"), None),
            "a published admin port": change(("depth-analyzer", "ports"), ["9090:9090"]),
            "the clear to the broker": change(("depth-analyzer", "environment", "RIAL_KAFKA_SECURITY_PROTOCOL"), "SASL_PLAINTEXT"),
            "the broker's listener in the clear": change(
                ("kafka", "environment", "KAFKA_LISTENER_SECURITY_PROTOCOL_MAP"), "CLIENTS:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT"),
            "a controller for all": change(("kafka", "environment", "KAFKA_LISTENERS"), "CLIENTS://:9092,CONTROLLER://:9093"),
            "no access control": change(("kafka", "environment", "KAFKA_AUTHORIZER_CLASS_NAME"), None),
            "another service's user": change(("upload-sync", "environment", "RIAL_KAFKA_SASL_USERNAME"), "gateway"),
            "rights for nobody": change(("topics", "command"), ["admin", "topics"]),
            "one network for all": change(("depth-analyzer", "networks"), {"gateway": None}),
            "a way outside": change(("upload-sync", "networks"), {"upload-sync": None, "outside": None}),
            "an open filer": change(("s3", "command"), ["server", "-ip=s3", "-ip.bind=0.0.0.0", "-volume.max=0"]),
            "a store smaller than its disk": change(("s3", "command"), ["server", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-volume.max=200"]),
            "open procedures of the store": change(("s3", "volumes"), ["s3-data:/data"]),
            "a store with root's rights": change(("s3", "user"), None),
            "no limit of memory": change(("kafka", "mem_limit"), None),
            "no limit of processes": change(("gateway", "pids_limit"), None),
            "an image of a registry": change(("gateway", "pull_policy"), None),
            "a witness that a service can write": change(("gateway", "volumes"), ["log-policy:/var/lib/rial/policy:ro", "witness-1-data:/w"]),
            "one store for both witnesses": change(
                ("witness-2", "volumes"), ["log-policy:/var/lib/rial/policy:ro", "witness-1-data:/var/lib/rial/witness-2"]),
            "a policy that the log writes": change(("transparency-log", "volumes"), ["log-policy:/var/lib/rial/policy"]),
            "a monitor of another policy": change(("monitor", "environment", "RIAL_LOG_POLICY"), "/var/lib/rial/policy/other"),
            "a witness beside a service": change(("witness-1", "networks"), {"witnesses": None, "gateway": None}),
            "any number of files": change(("upload-sync", "ulimits"), None),
            "logs without an end": change(("s3", "logging", "options"), {}),
            "temporary files without an end": change(("postgres", "tmpfs"), ["/tmp"]),
            "temporary files over the limit": change(("gateway", "tmpfs"), ["/tmp:size=3g"]),
            "a check each second": change(("postgres", "healthcheck", "interval"), "1s"),
            "a Java machine for a check": change(("kafka", "healthcheck", "test"), ["CMD", "/opt/kafka/bin/kafka-topics.sh", "--list"]),
            "a name for one": change(("depth-analyzer", "container_name"), "depth-analyzer"),
            "tools that start by themselves": change(("rial", "profiles"), []),
            "tools without the broker": change(("rial", "environment", "RIAL_KAFKA_BROKERS"), None),
            "tools without the admin port": change(("rial", "networks"), {"jobs": None, "public": None}),
            "an unknown stage": change(("gateway", "build", "target"), "gate"),
        }
        for name, mutate in mutations.items():
            with self.subTest(name):
                config = copy.deepcopy(self.config)
                mutate(config)
                self.assertNotEqual(self.problems(config), [], "not noticed")


if __name__ == "__main__":
    unittest.main()
