// The verification page: times, link, divider, rows, print. Reading works without any of it.
import { localTimes } from './time.js';

const byID = (id) => document.getElementById(id);

function setUpCopy() {
  const button = byID('copy');
  button?.addEventListener('click', async () => {
    const label = button.lastElementChild;
    try {
      await navigator.clipboard.writeText(document.querySelector('link[rel=canonical]')?.href ?? location.href);
      label.textContent = button.dataset.done;
    } catch {
      label.textContent = button.dataset.failed;
    }
  });
}

function setUpDivider() {
  const stage = byID('stage'), divider = byID('split');
  if (!stage || !divider) return;
  const choices = document.querySelectorAll('.pick input');
  const show = (value) => {
    stage.style.setProperty('--x', `${value}%`);
    divider.value = value;
    divider.setAttribute('aria-valuetext', divider.dataset.text.replace('{n}', value).replace('{m}', 100 - value));
    for (const choice of choices) choice.checked = +choice.value === value;
  };
  divider.addEventListener('input', () => show(+divider.value));
  divider.addEventListener('keydown', (event) => {
    const step = { PageUp: 10, PageDown: -10 }[event.key];
    if (!step) return;
    event.preventDefault();
    show(Math.min(100, Math.max(0, +divider.value + step)));
  });
  for (const choice of choices) choice.addEventListener('change', () => show(+choice.value));
  // What a browser put back after "back".
  show(+divider.value);
}

const rows = () => document.querySelectorAll('.rows > details');

function setUpRows() {
  const all = byID('all');
  if (!all) return;
  const more = all.textContent;
  all.addEventListener('click', () => {
    const open = all.textContent === more;
    for (const row of rows()) row.open = open;
    all.textContent = open ? all.dataset.less : more;
  });
  openNamedRow();
}

/** A link to a row shows what is in it. */
function openNamedRow() {
  let name = location.hash.slice(1);
  try {
    name = decodeURIComponent(name);
  } catch { /* no name of ours: anyone may write anything there */ }
  const row = byID(name);
  if (row instanceof HTMLDetailsElement) row.open = true;
}

/** Paper cannot be clicked: everything open, and the address and the time below. */
function setUpPrint() {
  let closed = [];
  addEventListener('beforeprint', () => {
    closed = [...document.querySelectorAll('details:not([open])')];
    for (const row of closed) row.open = true;
    const line = document.querySelector('[data-print]');
    if (!line) return;
    const now = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'long', timeStyle: 'long' }).format(new Date());
    line.textContent = line.dataset.print.replace('{url}', location.href).replace('{t}', now);
  });
  addEventListener('afterprint', () => {
    for (const row of closed) row.open = false;
  });
}

function setUp() {
  localTimes(document);
  setUpCopy();
  setUpDivider();
  setUpRows();
}

setUp();
setUpPrint();
addEventListener('hashchange', openNamedRow);
const main = byID('main');
if (main.dataset.events) import('./live.js').then(({ follow }) => follow(main, setUp));
