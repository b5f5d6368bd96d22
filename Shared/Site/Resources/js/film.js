// A video: depth over the picture and at any time, and links that ran out while it played. Without any of it the video plays.

const PATIENCE = 10_000;
const byID = (id) => document.getElementById(id);
const tenths = new Intl.NumberFormat(document.documentElement.lang, { maximumFractionDigits: 1 });
let film, video, veil, tile, scrub, now;
/** Time in milliseconds, verdict, relief in percent, whether it is doubtful. */
let frames = [];
let sheet, at = -1, renewed = -Infinity;

/** New links for those that ran out; false if there are none. Links that were just made are not what is wrong. */
async function renew() {
  if (performance.now() - renewed < PATIENCE) return false;
  renewed = performance.now();
  try {
    const answer = await fetch(film.dataset.record, { cache: 'no-store' });
    // Withdrawn: the page that says so replaces this one.
    if (answer.status === 410) location.reload();
    if (!answer.ok) return false;
    const { data } = await answer.json();
    const local = (link) => { const { pathname, search } = new URL(link); return pathname + search; };
    for (const source of video.querySelectorAll('source')) if (data[source.dataset.of]) source.src = local(data[source.dataset.of]);
    if (veil && data.depth_frames_url) veil.dataset.sheet = local(data.depth_frames_url);
    return true;
  } catch {
    return false;
  }
}

/** Goes on where the video stopped. */
async function resume() {
  const { currentTime, paused, playbackRate } = video;
  if (!(video.error || video.networkState === HTMLMediaElement.NETWORK_NO_SOURCE) || !await renew()) return;
  video.addEventListener('loadedmetadata', () => {
    Object.assign(video, { currentTime, playbackRate });
    if (!paused) video.play().catch(() => {});
  }, { once: true });
  video.load();
}

async function load(again = true) {
  const image = new Image();
  image.src = veil.dataset.sheet;
  try {
    await image.decode();
    return image;
  } catch {
    return again && await renew() ? load(false) : null;
  }
}

/** Shows a keyframe wherever depth is shown. */
function show(index) {
  at = index;
  const [time, verdict, relief, doubt] = frames[at], x = `${time * 100 / veil.dataset.length}%`;
  now?.setAttribute('x1', x);
  now?.setAttribute('x2', x);
  if (scrub) {
    const words = scrub.dataset, told = doubt ? words.doubtful.replace('{v}', words[verdict]) : words[verdict];
    const share = relief ? `${tenths.format(relief)} %` : '–';
    const text = words.text.replace('{t}', tenths.format(time / 1000)).replace('{r}', share).replace('{v}', told);
    scrub.value = at;
    scrub.setAttribute('aria-valuetext', text);
    if (tile && !tile.hidden) byID('at').textContent = text;
  }
  sheet?.then((image) => { if (image && at === index) draw(image); });
}

function draw(image) {
  for (const canvas of [veil, tile]) {
    if (!canvas || canvas.hidden) continue;
    const { width, height } = canvas, { columns } = veil.dataset;
    canvas.getContext('2d').drawImage(
      image, at % columns * width, Math.floor(at / columns) * height, width, height, 0, 0, width, height);
  }
}

/** The picture of all keyframes is loaded once it is wanted. */
function want(canvas) {
  if (canvas) canvas.hidden = false;
  sheet ??= load();
  show(at);
}

/** The keyframe shown at a time in seconds, or before it: the last that is not later than half a frame after. */
function keyframe(time) {
  const next = frames.findIndex(([each]) => each > time * 1000 + 16);
  return Math.max(0, (next < 0 ? frames.length : next) - 1);
}

function follow(time) {
  if (!video.seeking && keyframe(time) !== at) show(keyframe(time));
}

function setUpDepth() {
  const choice = byID('veil'), fade = byID('fade');
  const set = () => {
    veil.style.opacity = fade.value / 100;
    fade.setAttribute('aria-valuetext', `${fade.value} %`);
    fade.disabled = !choice.checked;
    if (choice.checked) want(veil);
    else veil.hidden = true;
  };
  show(keyframe(video.currentTime));
  choice.addEventListener('change', set);
  fade.addEventListener('input', set);
  set();
  scrub?.addEventListener('input', () => {
    at = +scrub.value;
    want(tile);
    tile?.previousElementSibling.setAttribute('hidden', '');
    video.currentTime = frames[at][0] / 1000 + 0.001;
  });
  const seen = (_, { mediaTime }) => {
    follow(mediaTime);
    video.requestVideoFrameCallback(seen);
  };
  if (video.requestVideoFrameCallback) video.requestVideoFrameCallback(seen);
  else video.addEventListener('timeupdate', () => follow(video.currentTime));
  // The frame of a place that was sought may come before the seeking is over.
  video.addEventListener('seeked', () => follow(video.currentTime));
}

/** Makes the video of the page work, once there is one: a page that is being checked gets it later. */
export function setUpFilm() {
  const found = byID('film');
  if (film || !found) return;
  film = found;
  [video, veil] = [film.querySelector('video'), film.querySelector('.veil')];
  [tile, scrub, now] = ['tile', 'scrub', 'now'].map(byID);
  frames = [...veil?.dataset.frames.matchAll(/(\d+)([rfu])([\d.]*)(!?)/g) ?? []].map(([, time, ...rest]) => [+time, ...rest]);
  film.addEventListener('error', resume, true);
  if (frames.length) setUpDepth();
}

setUpFilm();
// A link may have run out before there was anyone to hear of it.
if (film) resume();
