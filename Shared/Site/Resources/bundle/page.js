// The page: takes a bundle, a policy and files, verifies, and tells.

const form = byID('bundle'), outcome = byID('outcome'), chosen = {};

/** The policy of the reader's choice as bytes; whoever pastes one need not think of the last end of line. */
function policyText() {
  const text = byID(form.elements.policy?.value === 'site' ? 'policy-site' : 'policy-own').value;
  return new TextEncoder().encode(text.trim() && !text.endsWith('\n') ? `${text}\n` : text);
}

async function result() {
  // With a key of no use: whether the browser knows Ed25519 at all.
  await crypto.subtle.importKey('raw', new Uint8Array(32).fill(0x66), 'Ed25519', false, ['verify']);
  const given = policyText(), isNone = !textOf(given).trim();
  let policy;
  try {
    policy = await readPolicy(isNone ? bytesOf('quorum none\n') : given);
  } catch (error) {
    if (error instanceof Finding) return refusal('text', 'bad.policy');
    throw error;
  }
  try {
    mustRead(chosen.bundle.size <= MAXIMUM_BYTES, 'large', chosen.bundle.name);
    const bytes = new Uint8Array(await chosen.bundle.arrayBuffer());
    const found = await verifyBundle(bytes, policy, chosen.files);
    if (isNone) found.finding.code = 'none';
    return report(found);
  } catch (error) {
    if (!(error instanceof Finding)) throw error;
    return refusal(error.code === 'file' ? 'file' : error.kind, `bad.${error.code}`, { place: foreign(error.place) });
  }
}

/** The reader is taken to the answer if it was asked for, not while a policy is being written. */
async function verify(isAsked = true) {
  if (!chosen.bundle) return;
  const turn = chosen.turn = {};
  outcome.textContent = word('busy');
  let content;
  try {
    content = await result();
  } catch {
    content = refusal('browser', 'bad.browser');
  }
  if (chosen.turn !== turn) return;
  outcome.replaceChildren(element('p', foreign(chosen.bundle.name)), content);
  if (isAsked) outcome.querySelector('h2').focus();
}

function take(files) {
  const isBundle = (file) => /\.rial$/i.test(file.name), bundle = files.find(isBundle) ?? (chosen.bundle ? null : files[0]);
  const others = files.filter((file) => file !== bundle && !isBundle(file));
  if (bundle) chosen.bundle = bundle;
  if (bundle || others.length) chosen.files = others;
  verify();
}

const on = (target, event, act) => target.addEventListener(event, act);
/** What happens to files that are dragged over the page. */
const onFiles = (name, act) => on(window, name, (event) => {
  if (!event.dataTransfer?.types.includes('Files')) return;
  event.preventDefault();
  act(event);
});
const own = () => { if (form.elements.policy) form.elements.policy.value = 'own'; };

on(byID('bundle-file'), 'change', ({ target }) => {
  if (!target.files[0]) return;
  chosen.bundle = target.files[0];
  chosen.files = [...byID('media-files').files];
  verify();
});
on(byID('media-files'), 'change', ({ target }) => {
  chosen.files = [...target.files];
  verify();
});
on(byID('policy-file'), 'change', async ({ target }) => {
  if (!target.files[0]) return;
  byID('policy-own').value = await target.files[0].text();
  own();
  verify();
});
on(byID('policy-own'), 'input', () => {
  own();
  verify(false);
});
on(form, 'change', ({ target }) => { if (target.name === 'policy') verify(false); });
on(form, 'submit', (event) => event.preventDefault());
onFiles('dragover', () => form.classList.add('over'));
on(window, 'dragleave', (event) => { if (!event.relatedTarget) form.classList.remove('over'); });
onFiles('drop', ({ dataTransfer }) => {
  form.classList.remove('over');
  take([...dataTransfer.files]);
});
