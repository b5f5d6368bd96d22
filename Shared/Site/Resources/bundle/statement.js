// Statements: JSON in the form of RFC 8785, with objects, ASCII strings and integers alone (SPEC §14 "Statement and leaf").

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isHex = (length) => (value) => typeof value === 'string' && value.length === 2 * length && /^[0-9a-f]*$/.test(value);
const isWord = (length, form = /^[!-~]+$/) => (value) => typeof value === 'string' && value.length <= length && form.test(value);
const isOneOf = (...words) => (value) => words.includes(value);
const isNumber = (value) => Number.isSafeInteger(value) && value >= 0;
const isMap = (isName, isValue) => (value) => isObject(value) && Object.entries(value).every(([name, each]) => isName(name) && isValue(each));

/** RFC 3339 in UTC with milliseconds, or the day alone; written again, so that there is no 30 February. */
const isTime = (value) => {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d\.\d{3}Z)?$/.test(value)) return false;
  const time = new Date(value);
  return !isNaN(time) && time.toISOString().startsWith(value);
};

const MEMBERS = {
  type: isOneOf('rial.statement/1'), kind: isOneOf('assessment', 'credentials', 'reassessment', 'revocation'),
  capture: isWord(36, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  subject: isHex(16), sequence: isNumber, time: isNumber,
};
const VERDICT = {
  mode: isOneOf('full', 'hash_only'), media_type: isOneOf('photo', 'video'), media: isHex(32),
  files: isMap((name) => FILE_NAME.test(name), isHex(32)), manifest: isWord(256), captured_at: isTime, received_at: isTime,
  confidence: isOneOf('high', 'medium', 'low', 'suspicious'), algorithms: isMap(isWord(64), isWord(64)), evidence: isHex(32), raw: isHex(32),
};
const OPTIONAL = ['manifest', 'captured_at'];
const RAW_PARTS = ['photo', 'video', 'depth', 'hash_chain', 'metadata', 'payload', 'assertion', 'attestation'];

/** The one spelling: names in order, no space. What `JSON.stringify` escapes is what RFC 8785 does. */
function canonical(value) {
  if (!isObject(value)) return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`;
}

/** @returns {object} what the text says, if it is spelt in the one way; a name that stands twice is not */
function readCanonical(content, place) {
  const text = textOf(content);
  let value, isCanonical = false;
  try {
    value = JSON.parse(text);
    isCanonical = /^[ -\x7f]*$/.test(text) && isObject(value) && canonical(value) === text;
  } catch { /* not JSON, or nested deeper than anyone would */ }
  mustRead(isCanonical, 'form', place);
  return value;
}

function readStatement(content, place) {
  const value = readCanonical(content, place);
  const isFirst = value.kind === 'assessment', hasVerdict = value.kind !== 'revocation';
  const members = { ...MEMBERS, ...isFirst ? {} : { previous: isHex(32) }, ...hasVerdict ? VERDICT : { reason: isWord(64, /^[a-z_]+$/) } };
  const isSound = Object.keys(value).every((name) => Object.hasOwn(members, name))
    && Object.keys(members).every((name) => Object.hasOwn(value, name) ? members[name](value[name]) : OPTIONAL.includes(name));
  mustRead(isSound && (value.sequence === 0) === isFirst, 'form', place);
  return { value, verdict: hasVerdict ? value : null };
}

/** `owner/raw.json`. */
function readRaw(content) {
  const value = readCanonical(content, 'owner/raw.json');
  const isSound = Object.keys(value).join() === 'digests,salt' && isHex(32)(value.salt) && isMap(isOneOf(...RAW_PARTS), isHex(32))(value.digests);
  mustRead(isSound, 'form', 'owner/raw.json');
  return value;
}

/** Whether some object in the text has a name twice: readers differ in which one counts. The text is valid JSON. */
function hasNameTwice(text) {
  const open = [];
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"\s*:?|[{}]/g)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (token.endsWith(':')) {
      const name = JSON.parse(token.slice(0, -1));
      if (open.at(-1).has(name)) return true;
      open.at(-1).add(name);
    }
  }
  return false;
}
