"""Texts that try to inject markup or scripts, and the detection of a success."""

import unicodedata

# Each tries to make an element with the attribute `data-owned`, or to run `__owned=1`.
STRINGS = {
    "script": "<script data-owned>__owned=1</script>",
    "image": "<img data-owned src=x onerror=__owned=1>",
    "drawing": "<svg data-owned onload=__owned=1>",
    "double quote": '" data-owned autofocus onfocus="__owned=1" x="',
    "single quote": "' data-owned autofocus onfocus='__owned=1' x='",
    "no quote": "x data-owned onmouseover=__owned=1 ",
    "address": "javascript:__owned=1//",
    "data address": "data:text/html,<script data-owned>__owned=1</script>",
    "end of title": "</title></style><b data-owned>",
    "end of style": "</style></script></template></svg><b data-owned>",
    "end of text": "</textarea></noscript></bdi><b data-owned>",
    "comment": "<!--owned--><b data-owned>--><!--",
    "markup section": "]]><b data-owned><![CDATA[",
    "template": "{{{css}}}{{#t}}owned{{/t}}{{=<% %>=}}${__owned=1}",
    "encoded": "&lt;b data-owned&gt;&#60;b data-owned&#62;%3Cb data-owned%3E\\u003cb data-owned\\x3e",
    # A library that compares grapheme clusters does not recognise the quotation mark or the bracket in these.
    "combining mark": '"\u0301 data-owned onfocus=__owned=1 autofocus x="\u0301<\u0301b data-owned>\u0301',
    "prepended mark": '\u0600" data-owned x="\u0600<b data-owned>',
    "joiner": '"\u200d data-owned x="\u200d<\u200db data-owned>',
    "variation": '"\ufe0f data-owned x=\ufe0f"<\ufe0fb data-owned\ufe0f>',
    "keycap": '<\u20e3b data-owned>\u20e3"\u20e3 data-owned=\u20e3"',
    "override": "\u202eowned\u202d gnp.exe",
    "embedding": "\u202aA\u202bB\u202cC \u200f\u200e\u061c",
    "isolate": "\u2067owned \u2066x",
    "end of isolate": "\u2069\u2069 owned",
    "right to left": "\u05d0\u05d1\u05d2 owned (1",
    "many marks": "owned" + "\u0336\u0489" * 15,
}
# Texts that a metadata field of `rial` rejects, but that a database or a manifest may contain.
UNREFUSED = {
    "controls": "a\x01\x07\x1b[31m\x7f\x85<b data-owned>",
    "lines": "a\r\nSet-Cookie: owned=1\r\n\r\n<b data-owned>\u2028\u2029",
    "long": "<b data-owned>" + "W" * 5000,
    "long without rest": "\U0001d518" * 3000 + '"><b data-owned>',
}

# Runs before all scripts of a page.
WATCH = """
window.__violations = [];
document.addEventListener('securitypolicyviolation', (event) => {
  window.__violations.push(`${event.violatedDirective} ${event.blockedURI}`);
});
for (const name of ['alert', 'confirm', 'prompt', 'print']) window[name] = () => { window.__owned = name; };
"""

# Returns the problems of the page in its current state, [] if there are none.
LOOK = r"""
const found = [];
if (window.__owned !== undefined) found.push(`a script ran: ${window.__owned}`);
for (const each of window.__violations ?? []) found.push(`the policy was violated: ${each}`);
const roots = [document];
for (const template of document.querySelectorAll('template')) roots.push(template.content);
const wild = /[\u202a-\u202e\u200e\u200f\u061c\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029]/;
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const balanced = (text) => {
  let depth = 0;
  for (const each of text) {
    if (/[\u2066-\u2068]/.test(each)) depth += 1;
    else if (each === '\u2069') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
};
const outside = (text) => {
  let depth = 0, rest = '';
  for (const each of text) {
    if (/[\u2066-\u2068]/.test(each)) depth += 1;
    else if (each === '\u2069') depth -= 1;
    else if (!depth) rest += each;
  }
  return rest;
};
const check = (text, where, isolated) => {
  if (wild.test(text)) found.push(`a control character in ${where}: ${JSON.stringify(text.slice(0, 80))}`);
  if (!balanced(text)) found.push(`an isolate without its end in ${where}: ${JSON.stringify(text.slice(0, 80))}`);
  if (!isolated && rightToLeft.test(outside(text))) found.push(`foreign direction in ${where}: ${JSON.stringify(text.slice(0, 80))}`);
};
for (const root of roots) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ALL);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.nodeType === Node.COMMENT_NODE) found.push(`a comment: ${node.data.slice(0, 80)}`);
    else if (node.nodeType === Node.TEXT_NODE) {
      check(node.data, `text of ${node.parentNode.nodeName}`, node.parentElement?.closest('bdi'));
    } else if (node.nodeType === Node.ELEMENT_NODE) {
      for (const { name, value } of node.attributes) {
        if (/^on|owned/i.test(name)) found.push(`the attribute ${name} of ${node.nodeName}`);
        if (name === 'style' && node.id !== 'stage') found.push(`a style of ${node.nodeName}`);
        if (/^(href|src|srcset|action|formaction|poster|data|xlink:href)$/i.test(name) && /^\s*(javascript|data|vbscript):/i.test(value)) {
          found.push(`the address ${value.slice(0, 80)}`);
        }
        check(value, `${name} of ${node.nodeName}`, false);
      }
    }
  }
}
return found;
"""


def watched(driver):
    """Installs the detection on all later pages of this driver."""
    driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})


def findings(driver):
    """The effects of hostile texts on the current page."""
    # Focus or pointer events may trigger such a text.
    driver.execute_script("for (const each of document.querySelectorAll('[autofocus]')) each.focus()")
    return driver.execute_script(LOOK)


def plain(text):
    """Without characters that the site may remove: controls, format characters, and marks on the character before."""
    kinds = ((each, unicodedata.category(each)) for each in text)
    kept = "".join(" " if kind in ("Cc", "Zl", "Zp") else each for each, kind in kinds if kind not in ("Cf", "Mn", "Mc", "Me"))
    return " ".join(kept.split())


def holds(page, text):
    """Whether a page's text contains the beginning of a hostile text."""
    return plain(text)[:60].strip() in plain(page)
