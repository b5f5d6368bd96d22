// Values as a reader sees them: times in the zone and language, amounts, foreign words.

const lang = document.documentElement.lang;

/** Fills every line that waits for the reader's own time; its height is reserved, nothing moves. */
export function localTimes(root) {
  const form = new Intl.DateTimeFormat(lang, { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' });
  for (const line of root.querySelectorAll('[data-time]')) {
    const time = new Date(line.dataset.time);
    if (!isNaN(time)) line.textContent = line.dataset.text.replace('{t}', form.format(time));
  }
}

/** As the server writes it: a long date, seconds, UTC; the date alone for a day; '' for what is no time. */
export function utcTime(text) {
  const time = new Date(text);
  if (!text || isNaN(time)) return '';
  const form = (options) => new Intl.DateTimeFormat(lang === 'en' ? 'en-GB' : lang, { ...options, timeZone: 'UTC' }).format(time);
  const day = form({ dateStyle: 'long' });
  return /^\d{4}-\d\d-\d\d$/.test(text) ? day : `${day}, ${form({ timeStyle: 'medium' })} UTC`;
}

/** Seconds as a person says them: "40 s", "12 min". */
export function duration(seconds) {
  const [value, unit] = seconds < 90 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return new Intl.NumberFormat(lang, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}

/** Bytes: "3.4 MB". */
export function fileSize(bytes) {
  const [value, unit] = bytes < 1e6 ? [Math.max(1, bytes / 1e3), 'kilobyte'] : [bytes / 1e6, 'megabyte'];
  return new Intl.NumberFormat(lang, { style: 'unit', unit, maximumFractionDigits: value < 10 ? 1 : 0 }).format(value);
}

/** One line of an unknown origin: without control and direction characters, at most 120 long. */
export function clean(text, limit = 120) {
  const plain = String(text ?? '').replace(/\p{Cf}/gu, '').replace(/[\p{Cc}\s]+/gu, ' ').trim();
  return [...plain].length > limit ? `${[...plain].slice(0, limit - 1).join('')}…` : plain;
}
