// What came of it, in the reader's language. Nothing from a bundle is ever markup.

const lang = document.documentElement.lang;
const byID = (id) => document.getElementById(id);
const fresh = (name) => byID(`x-${name}`).content.cloneNode(true);
/** A text of the page by its name, with its values. */
const word = (name, values = {}) => {
  const text = byID('x-words').content.querySelector(`[data-word="${name}"]`)?.textContent ?? name;
  return text.replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
};
/** One line of an unknown origin, kept from turning the direction of what stands around it. */
const foreign = (text = '') => {
  const plain = [...text.replace(/\p{Cf}/gu, '').replace(/[\p{Cc}\s]+/gu, ' ').trim()];
  return `\u2068${plain.slice(0, 120).join('')}${plain.length > 120 ? '…' : ''}\u2069`;
};
/** Seconds, or text of a statement; the date alone for a day. */
const moment = (time) => {
  const date = new Date(typeof time === 'number' ? time * 1000 : time);
  // Numbers may be beyond all calendars.
  if (isNaN(date)) return String(time);
  const told = (options) => new Intl.DateTimeFormat(lang === 'en' ? 'en-GB' : lang, { ...options, timeZone: 'UTC' }).format(date);
  const day = told({ dateStyle: 'long' });
  return String(time).length === 10 && isNaN(time) ? day : `${day}, ${told({ timeStyle: 'medium' })} UTC`;
};
const amount = (value) => new Intl.NumberFormat(lang).format(value);
const names = (list) => new Intl.ListFormat(lang).format(list.map(foreign));

const element = (name, ...content) => {
  const made = document.createElement(name);
  made.append(...content);
  return made;
};

/** A line with the sign of its status. */
function line(status, text, detail) {
  const item = fresh(`line-${status}`).firstElementChild;
  item.lastElementChild.append(text, detail ? element('small', detail) : '');
  return item;
}

const fact = (name, content) => element('div', element('dt', word(name)), element('dd', content));

const place = ({ origin, index, size }) => word('place', { n: amount(index), size: amount(size), origin: foreign(origin) });
const witnesses = ({ witnessed, cosigners }) => {
  const told = !cosigners.length ? 'by.none' : witnessed ? 'by.quorum' : 'by.some';
  return word(told, { t: moment(witnessed), names: names(cosigners) });
};

/** What was proved, and what was not looked at. */
function report({ finding, verdict, evidence, statements, standing, revocation, given, opened, unchecked }) {
  const content = fresh('report'), slot = (name) => content.querySelector(`[data-slot=${name}]`);
  // A policy that asks for no witnesses takes the log's own word, and no time is proved.
  const kind = revocation ? 'revoked' : finding ? 'policy' : standing.witnessed === null ? 'alone' : 'proved';
  const sign = { revoked: 'fail', policy: 'inconclusive' }[kind] ?? 'plain';
  slot('title').append(fresh(`sign-${sign}`), word(`${kind}.h`, { t: moment(standing.witnessed) }));
  const more = finding ? [word(`policy.${finding.code}`, { origin: foreign(finding.place) })] : revocation ? [] : [word(`${kind}.more`)];
  if (revocation) more.unshift(word('revoked.more', { t: moment(revocation.time), reason: reason(revocation) }));
  else if (statements.at(-1).kind === 'revocation') more.push(word('policy.claim'));
  slot('more').textContent = more.join(' ');
  const {
    hardware_attestation: hardware, hash_chain: chain, depth_analysis: depth, metadata: { timestamp, model, resolution, location },
  } = evidence;
  // What an accepted signature covers follows from its binding. A checkpoint signs hashes that the sender states.
  const isSigned = hardware.status === 'pass'
    && (/metadata|payload/.test(hardware.binding) || hardware.binding === 'checkpoint' && chain?.chain_intact === true);
  slot('facts').append(
    fact(revocation ? 'level.before' : 'level', fresh(`badge-${verdict.confidence}`)),
    fact('captured', verdict.captured_at ? moment(verdict.captured_at) + (isSigned ? '' : ` · ${word('unsigned')}`) : word('kept')),
    fact('received', moment(verdict.received_at)), fact('logged', place(standing)), fact('witnessed', witnesses(standing)),
    fact('capture', element('code', verdict.capture)), fact('original', element('code', verdict.media)));
  slot('test').hidden = hardware.development_attestation !== true;
  for (const [name, check] of Object.entries({ hardware, chain, depth, timestamp, model, resolution, location })) {
    if (STATUSES.includes(check?.status)) slot('checks').append(line(check.status, word(`check.${name}`), word(`status.${check.status}`)));
  }
  slot('done').append(
    ...['form', 'statements', 'evidence', ...unchecked.includes('confidence') ? [] : ['level']]
      .map((each) => line('pass', word(`done.${each}`, { n: amount(statements.length) }))),
    line(finding ? 'inconclusive' : 'pass', word(finding ? `done.no.${finding.code}` : 'done.signed')),
    ...given.map(({ name, as }) => line('pass', word(as === 'original' ? 'done.original' : 'done.file', { name: foreign(name), as }))),
    opened.length ? line('pass', word('done.opened', { names: names(opened) })) : '');
  slot('not').append(...unchecked.map((each) => line('unavailable', word(`not.${each}`))));
  if (statements.length > 1) {
    slot('history').append(...statements
      .map((each) => line('plain', `${word(`kind.${each.kind}`)}, ${moment(each.time)}`, `${place(each)} ${witnesses(each)}`)));
  } else slot('history').parentElement.remove();
  return content;
}

/** In words if they are known; as the statement has it if not. */
const reason = (revocation) => word(`reason.${revocation.reason}`).replace(/^reason\./, '');

/** Why there is no report. */
function refusal(kind, name, values = {}) {
  const content = fresh('refusal'), slot = (which) => content.querySelector(`[data-slot=${which}]`);
  slot('title').append(fresh(`sign-${kind === 'wrong' ? 'fail' : 'plain'}`), word(`${kind}.h`));
  slot('what').textContent = word(name, values);
  slot('more').textContent = word(`${kind}.more`);
  return content;
}
