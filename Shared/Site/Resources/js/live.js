// A capture that is still being checked: steps as they are done, and the finished page in their place.

const SLOW = 30_000;
const AGAIN = 5_000;

/**
 * @param {HTMLElement} main has `data-events`, the address of the stream, and `data-done`, what to say at the end
 * @param {() => void} setUp makes the new content work
 */
export function follow(main, setUp) {
  const said = document.createElement('p');
  said.className = 'vh';
  said.setAttribute('role', 'status');
  document.body.append(said);
  const slow = setTimeout(() => document.getElementById('slow')?.removeAttribute('hidden'), SLOW);
  const { events, done } = main.dataset;
  let ended = false;
  /** Whether the finished page is there, once it was asked for. */
  let finished = Promise.resolve(false);

  const listen = () => {
    const stream = new EventSource(events);
    stream.addEventListener('check', ({ data }) => step(read(data).name));
    stream.addEventListener('evidence', () => step('evidence'));
    stream.addEventListener('status', async ({ data }) => {
      const { status } = read(data);
      if (ended || !status || status === 'processing') return;
      ended = true;
      clearTimeout(slow);
      finished = replace(main, setUp);
      if (!(await finished)) {
        stream.close();
        ended = false;
        setTimeout(listen, AGAIN);
        return;
      }
      const badge = document.querySelector('.say .badge')?.textContent.trim() ?? '';
      setTimeout(() => { said.textContent = done.replace('{badge}', badge); }, 150);
    });
    // The last one: the verdict stands in the public log.
    stream.addEventListener('log', async () => {
      stream.close();
      if (await finished) await renew('log');
    });
    // The browser returns by itself unless the server refused, as it does once the capture is withdrawn; else we ask again later.
    stream.addEventListener('error', () => {
      if (ended) stream.close();
      else if (stream.readyState === EventSource.CLOSED) load().catch(() => {}).finally(() => setTimeout(listen, AGAIN));
    });
  };
  listen();
}

function read(data) {
  try {
    return JSON.parse(data) ?? {};
  } catch {
    return {};
  }
}

/** A step that is done: what its check found is said at the end. */
function step(name) {
  const item = [...document.querySelectorAll('#steps > li')].find((each) => each.dataset.step === name);
  if (!item || item.classList.contains('on')) return;
  item.classList.add('on', 'new');
  item.firstElementChild.setAttribute('class', 'i');
  item.querySelector('use').setAttribute('href', '#i-dot');
  item.lastElementChild.textContent = document.getElementById('steps').dataset.done;
}

/** The page as it is by now; nothing if it cannot be had. */
async function load() {
  const answer = await fetch(location.pathname + location.search, { cache: 'no-store' });
  // Withdrawn: the page that says so replaces this one.
  if (answer.status === 410) location.reload();
  return answer.ok ? new DOMParser().parseFromString(await answer.text(), 'text/html') : undefined;
}

/** Puts a part of the page as it is by now in its place. */
async function renew(id) {
  try {
    const fresh = (await load())?.getElementById(id);
    if (fresh) document.getElementById(id)?.replaceWith(document.adoptNode(fresh));
  } catch {
    // It stays as it was; the page can be loaded again.
  }
}

/** Puts the parts of the finished page where they belong; the header, and with it a focus there, stays. */
async function replace(main, setUp) {
  try {
    const page = await load();
    const fresh = page?.getElementById('main');
    if (!fresh || fresh.dataset.events) return false;
    const stayed = scrollY < 80 && (!document.activeElement || document.activeElement === document.body);
    document.title = page.title;
    document.body.firstElementChild.replaceWith(document.adoptNode(page.body.firstElementChild));
    const band = page.getElementById('band');
    if (band && !document.getElementById('band')) document.querySelector('header').before(document.adoptNode(band));
    document.querySelector('footer').replaceWith(document.adoptNode(page.querySelector('footer')));
    main.className = fresh.className;
    delete main.dataset.events;
    main.replaceChildren(...fresh.childNodes);
    setUp();
    // One that this page has already does not run again.
    for (const script of page.querySelectorAll('script[src]')) {
      import(new URL(script.getAttribute('src'), location).href).then(({ setUpFilm }) => setUpFilm?.());
    }
    if (stayed) main.querySelector('h1').focus({ preventScroll: true });
    return true;
  } catch {
    return false;
  }
}
