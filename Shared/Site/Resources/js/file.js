// Checks a file: hashed here, looked up by hash, sent only if the person agrees. On a hash-only record: compared, no more.
import { clean, duration, fileSize } from './time.js';

const LIMITS = { image: 20 * 1024 * 1024, video: 100 * 1024 * 1024 };
/** By the end of a media type or of a file name. */
const KINDS = {
  jpg: 'image', jpeg: 'image', png: 'image', heic: 'image', heif: 'image',
  mp4: 'video', mov: 'video', quicktime: 'video', c2pa: 'image',
};
const byID = (id) => document.getElementById(id);
const form = byID('check'), outcome = byID('outcome');
const input = form.querySelector('input[type=file]');
const expected = form.dataset.compare;

/** The check that is shown. */
let current = null;

const part = (name) => byID(`x-${name}`).content.cloneNode(true);

/** Shows one outcome under the file's name and takes the reader to its heading. */
function show(check, content, actions = {}) {
  outcome.replaceChildren(check.chosen ?? '', content);
  if (check.digest && !expected && byID('x-digest')) {
    const line = part('digest');
    line.querySelector('code').textContent = check.digest;
    outcome.append(line);
  }
  for (const button of outcome.querySelectorAll('[data-do]')) button.addEventListener('click', actions[button.dataset.do]);
  outcome.querySelector('h2')?.focus();
}

function problem(check, name, value, retry) {
  const content = part('problem');
  for (const text of content.querySelectorAll('[data-case]')) {
    if (text.dataset.case !== name) text.remove();
    else text.textContent = text.textContent.replace(/\{\w+\}/, value ?? '');
  }
  if (!retry) content.querySelector('.acts').remove();
  show(check, content, { retry });
}

function tooBig(check) {
  problem(check, 'big', `${LIMITS[check.kind] / 1048576} MB`);
}

function progress(check) {
  const content = part('progress');
  check.chosen = content.querySelector('.chosen');
  check.chosen.querySelector('[data-slot=name]').textContent = clean(check.file.name);
  check.chosen.querySelector('[data-slot=size]').textContent = fileSize(check.file.size);
  preview(check);
  check.line = content.querySelector('[data-slot=line]');
  check.bar = content.querySelector('progress');
  check.working = [...content.children].filter((node) => node !== check.chosen);
  content.querySelector('[data-do=cancel]').addEventListener('click', () => {
    check.stop();
    problem(check, 'cancelled');
    input.value = '';
  });
}

/** The file icon stays where the browser cannot show the format. */
function preview(check) {
  if (check.kind !== 'image') return;
  const picture = new Image();
  const address = URL.createObjectURL(check.file);
  picture.alt = '';
  picture.onload = picture.onerror = ({ type }) => {
    URL.revokeObjectURL(address);
    if (type === 'load') check.chosen.querySelector('svg')?.replaceWith(picture);
  };
  picture.src = address;
}

/** Text in steps of ten: a screen reader reads each change. */
function report(check, stage, share) {
  const percent = Math.round(share * 100);
  const text = check.line.dataset[stage].replace('{n}', share < 1 ? Math.floor(percent / 10) * 10 : 100);
  if (check.line.textContent !== text) check.line.textContent = text;
  if (stage === 'ask' || stage === 'reading') check.bar.removeAttribute('value');
  else check.bar.value = percent;
  if (!outcome.contains(check.line)) outcome.replaceChildren(check.chosen, ...check.working);
}

function start(file) {
  current?.stop();
  const kind = KINDS[file.type.split('/').pop()] ?? KINDS[file.name.split('.').pop().toLowerCase()];
  const check = { file, kind, cleanUps: [], isOver: false };
  check.stop = () => {
    check.isOver = true;
    for (const cleanUp of check.cleanUps) cleanUp();
  };
  current = check;
  if (!file.size) return problem(check, 'empty');
  if (!expected) {
    if (!kind) return problem(check, 'type');
    if (file.size > LIMITS[kind]) return tooBig(check);
  }
  progress(check);
  hash(check);
}

function hash(check) {
  const worker = new Worker(new URL('./hash-worker.js', import.meta.url), { type: 'module' });
  check.cleanUps.push(() => worker.terminate());
  const failed = () => {
    worker.terminate();
    if (!check.isOver) problem(check, 'read', '', () => input.click());
  };
  worker.onerror = failed;
  worker.onmessage = ({ data: { done, digest, error } }) => {
    if (check.isOver) return;
    if (error) return failed();
    if (!digest) return report(check, 'hash', done / check.file.size);
    worker.terminate();
    check.digest = digest;
    if (expected) show(check, part(digest === expected ? 'match' : 'mismatch'));
    else ask(check);
  };
  report(check, 'hash', 0);
  worker.postMessage(check.file);
}

async function ask(check) {
  report(check, 'ask', 1);
  const abort = new AbortController();
  check.cleanUps.push(() => abort.abort());
  let answer, body;
  try {
    answer = await fetch(`/api/v1/verify-hash/${check.digest}`, { signal: abort.signal, headers: { accept: 'application/json' } });
    body = await answer.json();
  } catch {
    if (!check.isOver) unreachable(check, () => ask(check));
    return;
  }
  if (check.isOver) return;
  if (answer.ok) return reveal(check, body.data);
  if (answer.status === 404 && body.error?.code === 'HASH_NOT_FOUND') {
    return show(check, part('consent'), { send: () => send(check), none: () => show(check, part('none')) });
  }
  refused(check, answer.status, answer.headers.get('retry-after'), () => ask(check));
}

/** XMLHttpRequest alone tells how much was sent. */
function send(check) {
  const request = new XMLHttpRequest();
  check.cleanUps.push(() => request.abort());
  request.upload.onprogress = ({ loaded, total }) => report(check, 'sending', total ? loaded / total : 0);
  request.upload.onload = () => report(check, 'reading', 1);
  request.onerror = () => { if (!check.isOver) unreachable(check, () => send(check)); };
  request.onload = () => {
    if (check.isOver) return;
    let data;
    try { data = JSON.parse(request.responseText).data; } catch { /* no answer of ours */ }
    if (data) reveal(check, data);
    else refused(check, request.status, request.getResponseHeader('retry-after'), () => send(check));
  };
  request.open('POST', '/api/v1/verify-file');
  request.setRequestHeader('accept', 'application/json');
  const body = new FormData();
  body.append('file', check.file);
  report(check, 'sending', 0);
  request.send(body);
}

function refused(check, status, wait, retry) {
  if (status === 429) problem(check, 'limit', duration(+wait || 60), retry);
  else if (status === 413) tooBig(check);
  else if (status === 415) problem(check, 'type');
  else problem(check, 'server', '', retry);
}

function unreachable(check, retry) {
  if (navigator.onLine) return problem(check, 'server', '', retry);
  // The network or the reader's click, whichever comes first.
  const again = () => { removeEventListener('online', again); if (!check.isOver) retry(); };
  addEventListener('online', again);
  problem(check, 'offline', '', again);
}

async function reveal(check, data) {
  try {
    const { resultOf } = await import('./result.js');
    if (!check.isOver) show(check, resultOf(data, part));
  } catch {
    if (!check.isOver) problem(check, 'server', '', () => reveal(check, data));
  }
}

function take(files) {
  if (files?.[0]) start(files[0]);
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  take(input.files);
});
input.addEventListener('change', () => take(input.files));
addEventListener('paste', ({ clipboardData }) => take(clipboardData?.files));

function dragged(event, isOver) {
  if (!event.dataTransfer?.types.includes('Files')) return;
  event.preventDefault();
  form.classList.toggle('over', isOver);
  if (!isOver) take(event.dataTransfer.files);
}

addEventListener('dragover', (event) => dragged(event, true));
addEventListener('dragleave', (event) => { if (!event.relatedTarget) form.classList.remove('over'); });
addEventListener('drop', (event) => dragged(event, false));
