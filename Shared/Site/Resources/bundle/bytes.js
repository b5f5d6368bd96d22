// Bytes, digests, and text as bytes. A part of the one script of /bundle: its parts share a scope, in the order that BundleScript.swift names.
//
// Text from a bundle or a policy is a string with one character a byte, so that nothing depends on how letters are spelt or lines end.

/** What a check found. `kind`: `unreadable`, or `wrong` if it could be read. `code` names what; `place` is the entry of the bundle. */
class Finding {
  constructor(kind, code, place = '') {
    Object.assign(this, { kind, code, place });
  }
}

const must = (kind) => (holds, code, place) => {
  if (!holds) throw new Finding(kind, code, place);
};
const mustRead = must('unreadable'), mustHold = must('wrong');

const bytesOf = (text) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

function textOf(bytes) {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return text;
}

/** As people read it; `null` if the bytes are not UTF-8. */
function utf8(text) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytesOf(text));
  } catch {
    return null;
  }
}

const join = (...parts) => {
  const bytes = parts.map((part) => typeof part === 'string' ? bytesOf(part) : part);
  const joined = new Uint8Array(bytes.reduce((sum, each) => sum + each.length, 0));
  let at = 0;
  for (const each of bytes) {
    joined.set(each, at);
    at += each.length;
  }
  return joined;
};

const isSame = (one, two) => one.length === two.length && one.every((byte, index) => byte === two[index]);
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const unhex = (text) => Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16));
const sha256 = async (...parts) => new Uint8Array(await crypto.subtle.digest('SHA-256', join(...parts)));

/** Standard base64 with padding; `null` for what does not encode back to itself. */
function unbase64(text) {
  try {
    const bytes = atob(text);
    return btoa(bytes) === text ? bytesOf(bytes) : null;
  } catch {
    return null;
  }
}

/** Decimal digits without sign and leading zero, below 2^64; else `null`. */
function decimal(text) {
  if (!/^(0|[1-9]\d{0,19})$/.test(text)) return null;
  const value = BigInt(text);
  return value < 1n << 64n ? value : null;
}

/** The lines of a text in which each ends with LF; `null` if the last one does not. */
function linesOf(text) {
  const lines = text.split('\n');
  return lines.pop() === '' ? lines : null;
}
