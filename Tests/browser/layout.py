"""Automatic checks of a page's layout: nothing is cut off, overlapping or too small."""

# Runs in the page, even if the page's own scripts may not. Returns descriptions of the flaws.
FLAWS = r"""
const flaws = [], width = document.documentElement.clientWidth;
const say = (what, element) => flaws.push(`${what}: <${element.localName} class="${element.getAttribute('class') ?? ''}"> “${
  (element.textContent ?? '').trim().replace(/\s+/g, ' ').slice(0, 60)}”`);
const hidden = (element) => element.closest('.vh, .skip, template, head, [hidden]') || !element.checkVisibility();

if (document.documentElement.scrollWidth > width) flaws.push(`scrolls sideways: ${document.documentElement.scrollWidth} > ${width}`);
if (document.querySelectorAll('h1').length !== 1) flaws.push(`${document.querySelectorAll('h1').length} h1`);
const levels = [...document.querySelectorAll('h1, h2, h3, h4')].map((each) => +each.localName[1]);
levels.forEach((level, index) => { if (index && level > levels[index - 1] + 1) flaws.push(`a heading leaps to h${level}`); });

for (const image of document.images) {
  if (!image.hasAttribute('alt')) say('no alt', image);
  if (!image.complete || !image.naturalWidth) flaws.push(`broken picture ${image.src}`);
  const box = image.getBoundingClientRect();
  // As it was taken: neither cut nor stretched, unless it lies over one that is measured differently.
  const stretch = Math.abs(box.width / box.height - image.naturalWidth / image.naturalHeight);
  if (box.width && getComputedStyle(image).objectFit === 'fill' && stretch > 0.02) flaws.push(`stretched picture ${image.src}`);
  const isSized = image.getAttribute('width') > 0 && image.getAttribute('height') > 0;
  if (box.width && !isSized && !image.src.startsWith('blob:')) flaws.push(`picture without its size ${image.src}`);
}

const texts = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node; (node = walker.nextNode());) {
  const element = node.parentElement;
  if (!node.data.trim() || ['SCRIPT', 'STYLE', 'TEMPLATE'].includes(element.tagName) || hidden(element)) continue;
  const range = document.createRange();
  range.selectNodeContents(node);
  const boxes = [...range.getClientRects()].filter((box) => box.width > 1 && box.height > 1);
  if (!boxes.length) continue;
  const style = getComputedStyle(element);
  if (parseFloat(style.fontSize) < 14) say(`text of ${style.fontSize}`, element);
  for (const box of boxes) {
    if (box.right > width + 1 || box.left < -1) say('text outside of the page', element);
    texts.push({ element, box });
  }
  if (!element.closest('code, bdi')) {
    for (const word of node.data.matchAll(/\p{L}{2,24}/gu)) {
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const lines = [...range.getClientRects()];
      if (lines.length > 1 && lines.at(-1).top > lines[0].bottom - 4) say(`broken word “${word[0]}”`, element);
    }
  }
  for (let around = element; around && around !== document.body; around = around.parentElement) {
    const clip = getComputedStyle(around);
    if (clip.overflowX === 'visible' || around instanceof SVGElement) continue;
    const frame = around.getBoundingClientRect();
    const leaves = (box) => box.right > frame.right + 1 || box.left < frame.left - 1 || box.bottom > frame.bottom + 2;
    if (boxes.some(leaves)) say('cut text', element);
    break;
  }
}
for (let a = 0; a < texts.length; a++) {
  for (let b = a + 1; b < texts.length; b++) {
    const one = texts[a], two = texts[b];
    if (one.element === two.element) continue;
    const across = Math.min(one.box.right, two.box.right) - Math.max(one.box.left, two.box.left);
    const down = Math.min(one.box.bottom, two.box.bottom) - Math.max(one.box.top, two.box.top);
    // Boxes of lines hold space above and below the letters.
    const letters = Math.min(one.box.height, two.box.height) * 0.35;
    if (across > 1 && down > letters) say(`text over “${two.element.textContent.trim().slice(0, 40)}”`, one.element);
  }
}
for (const control of document.querySelectorAll('.btn, .pick label, .rows summary, input[type=range]')) {
  if (hidden(control) || !control.getClientRects().length) continue;
  if (control.getBoundingClientRect().height < 43.5) say('a control under 44 px', control);
}
return [...new Set(flaws)];
"""


def flaws(browser):
    """The flaws of the current page, after all pictures have loaded."""
    browser.js("for (const image of document.images) image.loading = 'eager'")
    browser.wait(lambda: browser.js("return [...document.images].every((image) => image.complete)"), 30, "pictures are there")
    return browser.js(FLAWS)
