"""axe-core 4: finds violations of accessibility rules on a page."""

import importlib.util
import pathlib


def source():
    """axe.min.js from the package that contains it."""
    package = importlib.util.find_spec("axe_playwright_python")
    return (pathlib.Path(package.origin).parent / "axe.min.js").read_text()


def violations(browser, *, undecided=False):
    """The violations, a line each; with `undecided` also contrasts that it could not measure."""
    browser.js(source())
    found = browser.driver.execute_async_script("""
        const done = arguments[arguments.length - 1];
        axe.run(document, {resultTypes: ['violations', 'incomplete']}).then(done, (error) => done({error: String(error)}))""")
    if "error" in found:
        raise AssertionError(found["error"])
    version = found["testEngine"]["version"]
    if not version.startswith("4."):
        raise AssertionError(f"axe-core {version} is not 4")
    results = found["violations"] + ([each for each in found["incomplete"] if each["id"] == "color-contrast"] if undecided else [])
    return [f"{each['id']}: {node['html'][:150]} {node['failureSummary'][:300]}" for each in results for node in each["nodes"]]
