/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a page does beyond what its HTML says: figures say their values; series are shown and hidden; tables are
 * sorted. All of it works on data within the page; nothing is fetched. */
(function () {
'use strict';
const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => Array.from(root.querySelectorAll(selector));
const fill = (element, attributes = {}, ...children) => {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};
const make = (name, ...rest) => fill(document.createElement(name), ...rest);
const draw = (name, ...rest) => fill(document.createElementNS('http://www.w3.org/2000/svg', name), ...rest);
const root = document.documentElement, body = document.body, tip = $('#tip'), said = $('#said');
root.classList.add('js');

/* --- numbers --- */

const minus = text => text.replace(/^-/, '−');
function say(value, digits = 4) {
  if (value === null || value === undefined || !isFinite(value)) return '–';
  if (value === 0 || (Math.abs(value) >= 1e-3 && Math.abs(value) < 1e6)) return minus(String(+value.toPrecision(digits)));
  return minus(value.toExponential(digits - 1));
}

/* --- figures --- */

/* gnuplot's picture as elements of the page, of those that draw and with plain attributes alone. gnuplot numbers the
 * curves of each plot command, gnuplot_plot_7a is the seventh of the first one; plots/slopes.gp draws layer after layer,
 * each with all series, and a key below the panel with a command of its own. A curve gets class="s LAYER" and
 * data-s="LABEL". */
const layers = ['floor', 'band', 'below', 'line', 'theory', 'theory', 'points', 'hollow', 'key'];
function inline(img, data) {
  const text = decodeURIComponent(img.getAttribute('src').replace(/^[^,]*,/, ''));
  const svg = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
  for (const element of [svg, ...$$('*', svg)]) {
    const known = /^(svg|defs|g|path|use|text|tspan|circle|rect|polygon|polyline)$/.test(element.localName);
    if (!known || (element.localName === 'rect' && element.parentNode.localName !== 'defs')) element.remove();
    for (const {name, value} of Array.from(element.attributes))
      if (/^on|^class$|^style$/.test(name) || !/^[\w\s#%(),.+\u2212-]*$/.test(value)) element.removeAttribute(name);
  }
  for (const group of $$('[id^=gnuplot_plot_]', svg)) {
    const k = parseInt(group.id.slice(13)) - 1, first = group.id.endsWith('a'), count = data.length;
    const below = group.id.endsWith('b') && k >= 1 && k <= count && !$('.key text', svg);
    const layer = first ? layers[Math.floor(k / count)] : below ? 'key' : undefined;
    group.removeAttribute('id');
    if (!layer) continue;
    group.setAttribute('class', 's ' + layer);
    group.dataset.s = data[first ? k % count : k - 1].s;
  }
  fill(svg, {class: img.className, role: 'img', 'aria-label': img.alt});
  img.replaceWith(svg);
  return svg;
}
/* [series, index, x, y] of each mark; of a series those of widths that overfit stand in a group of their own. */
function findMarks(svg, data) {
  const marks = [];
  for (const s of data)
    for (const kind of ['points', 'hollow']) {
      const rows = s.error.map((_, i) => i).filter(i => s.overfit[i] > 0 === (kind === 'hollow'));
      const uses = $$(`.${kind}[data-s="${s.s}"] use`, svg);
      if (uses.length !== rows.length) throw Error(`${s.label}: ${uses.length} marks of ${rows.length}: gnuplot drew another picture`);
      uses.forEach((use, k) => {
        const at = use.getAttribute('transform').match(/[-\d.]+/g);
        marks.push([s, rows[k], +at[0], +at[1]]);
      });
    }
  return marks;
}
/* Between a width and the nearest one smaller by a factor 1.3 at least, both errors 30 times above their rounding floor. */
function localSlopes(s, size) {
  const sound = i => !(s.overfit[i] > 0) && !(30 * s.floor[i] > s.error[i]);
  return s.n.map((n, i) => {
    const j = s.n.findLastIndex((m, k) => k < i && n >= 1.3 * m);
    return j >= 0 && sound(i) && sound(j) ? Math.log(s.error[i] / s.error[j]) / Math.log(size[i] / size[j]) : null;
  });
}

class Plot {
  constructor(figure) {
    this.figure = figure;
    this.at = null;
    this.data = JSON.parse($('script', figure).textContent);
    for (const s of this.data) { s.localn = localSlopes(s, s.n); s.localP = localSlopes(s, s.P); }
    this.panels = $$('img', figure).map(img => {
      const svg = inline(img, this.data);
      return {svg, marks: findMarks(svg, this.data)};
    });
    if (!this.panels.length) return;
    const details = make('details', {class: 'values'}, make('summary', {}, 'Values as a table'));
    details.addEventListener('toggle', () => { if (details.open && !$('table', details)) this.fillValues(details); });
    figure.append(details);
    for (const panel of this.panels) {
      panel.svg.addEventListener('pointermove', event => this.hover(panel, event));
      panel.svg.addEventListener('pointerleave', () => { this.ring(panel, null); hideTip(); });
    }
    figure.addEventListener('keydown', event => this.key(event));
  }
  fillValues(details) {
    const columns = [['label', 'Series'], ['n', 'n'], ['P', 'P'], ['error', 'error'], ['low', 'quartile'], ['high', 'quartile'],
      ['seeds', 'seeds'], ['below', 'no network below'], ['theory', 'theory'], ['localn', 'local slope, n'], ['localP', 'local slope, P']]
      .filter(([name]) => name === 'label' || this.data.some(s => /low|high|seeds/.test(name) ? s.seeds.some(n => n > 1) : s[name].some(v => v !== null)));
    const cell = (s, i, name) => name === 'label' ? make('th', {scope: 'row'}, s.label)
      : make('td', {class: 'n'}, say(s[name][i], 'nP'.includes(name) ? 15 : 5));
    const rows = this.data.flatMap(s => s.error.map((_, i) => make('tr', {}, ...columns.map(c => cell(s, i, c[0])))));
    const header = columns.map(c => make('th', {scope: 'col', class: c[0] === 'label' ? '' : 'right'}, c[1]));
    details.append(make('div', {class: 'scroll', tabindex: 0},
      make('table', {}, make('thead', {}, make('tr', {}, ...header)), make('tbody', {}, ...rows))));
  }
  ring({svg}, mark) {
    const old = $('.ring', svg);
    if (old) old.remove();
    if (mark) svg.append(draw('circle', {class: 'ring', cx: mark[2], cy: mark[3], r: 6 / svg.getScreenCTM().a}));
  }
  hover(panel, event) {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(panel.svg.getScreenCTM().inverse());
    let best = null, least = 34 / panel.svg.getScreenCTM().a;
    for (const mark of panel.marks) {
      const distance = Math.hypot(mark[2] - at.x, mark[3] - at.y);
      if (distance < least && !hidden.has(mark[0].s)) { least = distance; best = mark; }
    }
    this.ring(panel, best);
    if (best) this.tell(panel, best, event.clientX, event.clientY);
    else hideTip();
  }
  lines(panel, [s, i]) {
    const lines = [['error', say(s.error[i], 5)], ['parameters P', say(s.P[i], 15)], ['width n', say(s.n[i], 15)]];
    const local = panel.svg.classList.contains('against-n') ? s.localn : s.localP;
    if (s.seeds[i] > 1) lines.push(['quartiles', `${say(s.low[i])} … ${say(s.high[i])}`], ['seeds', String(s.seeds[i])]);
    if (s.theory[i]) lines.push(['theory', say(s.theory[i])]);
    if (s.below[i]) lines.push(['none gets below', say(s.below[i])]);
    if (local[i] !== null) lines.push(['local slope', say(local[i])]);
    if (s.overfit[i]) lines.push(['', 'overfits']);
    return lines;
  }
  tell(panel, mark, x, y) {
    const lines = this.lines(panel, mark), item = l => make('div', {}, make('dt', {}, l[0]), make('dd', {}, l[1]));
    tip.replaceChildren(make('b', {}, mark[0].label), make('dl', {}, ...lines.map(item)));
    tip.style.display = 'block';
    const box = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, x + 16 + box.width > innerWidth ? x - box.width - 16 : x + 16) + 'px';
    tip.style.top = Math.max(4, Math.min(innerHeight - box.height - 4, y + 14)) + 'px';
    return mark[0].label + ': ' + lines.map(l => l.join(' ')).join(', ');
  }
  key(event) {
    const steps = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1]};
    if (event.target !== this.figure || event.ctrlKey || event.metaKey || event.altKey || !steps[event.key]) return;
    this.walk(...steps[event.key]);
    event.preventDefault();
  }
  walk(along, between) {
    const shown = this.data.filter(s => !hidden.has(s.s)), panel = this.panels.find(p => p.svg.clientWidth);
    if (!shown.length) return;
    let [series, index] = this.at || [0, along ? -along : 0];
    series = Math.min(shown.length - 1, Math.max(0, series + between));
    index = Math.min(shown[series].error.length - 1, Math.max(0, index + along));
    this.at = [series, index];
    const mark = panel.marks.find(m => m[0] === shown[series] && m[1] === index);
    const at = new DOMPoint(mark[2], mark[3]).matrixTransform(panel.svg.getScreenCTM());
    this.ring(panel, mark);
    said.textContent = this.tell(panel, mark, at.x, at.y);
  }
}

function hideTip() { tip.style.display = 'none'; }

/* --- series shown and hidden --- */

const hidden = new Set(), rules = document.head.appendChild(make('style'));
let lit = null;
function showSeries() {
  rules.textContent = Array.from(hidden, s => `.panel .s[data-s="${s}"]:not(.key){display:none}.key[data-s="${s}"]{opacity:.3}`).join('') +
    (lit === null ? '' : `.panel .s:not([data-s="${lit}"]):not(.key){opacity:.13}`);
}
function pressAll() {
  for (const button of $$('.toggle')) button.setAttribute('aria-pressed', String(!hidden.has(+button.dataset.s)));
  showSeries();
}
function setUpSeries() {
  const all = new Set($$('.toggle').map(button => +button.dataset.s));
  const toggleOf = event => event.target.closest && event.target.closest('.toggle, .key');
  document.addEventListener('click', event => {
    const button = toggleOf(event);
    if (!button) return;
    const s = +button.dataset.s;
    if (event.shiftKey) for (const other of all) other === s ? hidden.delete(other) : hidden.add(other);
    else hidden.has(s) ? hidden.delete(s) : hidden.add(s);
    pressAll();
  });
  for (const [type, on] of [['pointerover', true], ['focusin', true], ['pointerout', false], ['focusout', false]])
    document.addEventListener(type, event => {
      const button = toggleOf(event);
      if (!button) return;
      lit = on && !hidden.has(+button.dataset.s) ? button.dataset.s : null;
      showSeries();
    });
  for (const [name, hide] of [['.all', false], ['.none', true]]) {
    const button = $('.tools ' + name);
    if (button) button.addEventListener('click', () => { hidden.clear(); if (hide) for (const s of all) hidden.add(s); pressAll(); });
  }
}

/* --- tables --- */

const collator = new Intl.Collator('en', {numeric: true});
/* The numbers 0..count-1 in the order of their keys, numbers or texts; what has none comes last. */
function ordered(count, key, up) {
  const keys = Array.from({length: count}, (_, i) => key(i)), texts = new Set(keys.filter(k => typeof k === 'string'));
  const rank = new Map([...texts].sort(collator.compare).map((text, place) => [text, place]));
  const value = Float64Array.from(keys, k => typeof k === 'string' ? rank.get(k) : k), sign = up ? 1 : -1;
  return Uint32Array.from(keys.keys()).sort((a, b) => {
    const x = value[a], y = value[b];
    return x !== x || y !== y ? (x !== x) - (y !== y) || a - b : sign * (x - y) || a - b;
  });
}
/* Makes the header's cells buttons; act(column, ascending) sorts. */
function sortBy(header, act) {
  header.forEach((cell, column) => {
    const button = make('button', {type: 'button'});
    button.append(...cell.childNodes);
    cell.append(button);
    button.addEventListener('click', () => {
      const up = cell.getAttribute('aria-sort') !== 'ascending';
      for (const other of header) other.removeAttribute('aria-sort');
      cell.setAttribute('aria-sort', up ? 'ascending' : 'descending');
      act(column, up);
    });
  });
}
/* A field for words, and act(has), where has(text) says whether a text has them all. */
function searchField(what, name, act) {
  const field = make('input', {type: 'search', placeholder: 'Filter: ' + what, 'aria-label': name});
  field.addEventListener('input', () => {
    const words = field.value.toLowerCase().split(/\s+/);
    act(text => { const own = text.toLowerCase(); return words.every(w => own.includes(w)); });
  });
  return field;
}
function setUpTable(table) {
  const header = $$('thead th', table), rows = $$('tbody tr', table);
  const key = (row, column) => {
    const data = $('data', row.children[column]), text = row.children[column].textContent;
    return data ? +data.value : text === '–' ? NaN : text;
  };
  header.forEach((cell, column) => { if (rows[0] && rows[0].children[column].classList.contains('n')) cell.classList.add('right'); });
  sortBy(header, (column, up) => $('tbody', table).append(...Array.from(ordered(rows.length, i => key(rows[i], column), up), i => rows[i])));
  if (rows.length <= 12) return;
  const show = has => { for (const row of rows) row.hidden = !has(row.textContent); };
  table.closest('.scroll').before(make('div', {class: 'bar'}, searchField('words of a row', 'Filter the table', show)));
}

/* All fits, from their columns. */
class Fits {
  constructor(place, data) {
    this.data = data;
    this.names = data.series.map(([run, target, arch, activation, ...rest]) =>
      [run, target, arch + (activation && activation !== 'relu' ? ` (${activation})` : ''), ...rest]);
    this.order = Uint32Array.from(data.s.keys());
    this.has = () => true;
    this.size = 50;
    const name = (title, index) => ({title, text: i => this.names[data.s[i]][index], key: i => this.names[data.s[i]][index]});
    const number = (title, column, digits) => ({title, right: true, text: i => say(data[column][i], digits),
      key: i => data[column][i] === null ? NaN : +data[column][i]});
    this.columns = [...(new Set(data.series.map(s => s[0])).size > 1 ? [name('Run', 0)] : []), name('Target', 1), name('Architecture', 2),
      number('n', 'n', 12), number('P', 'P', 12), {...number('Seed', 'seed'), text: i => String(data.seed[i])},
      {title: 'Status', text: i => this.status(i)[0], key: i => data.status[i]},
      number('Train RMSE', 'train'), number('Test RMSE', 'test'), number('Max error', 'max'),
      number('Steps', 'iterations', 12), number('Seconds', 'seconds', 2), name('Solver', 3), name('Start', 4)];
    this.build(place);
  }
  status(i) { return this.data.statuses[this.data.status[i]] || ['unknown', '']; }
  build(place) {
    const found = Array.from(new Set(this.data.status)).sort((a, b) => a - b);
    const search = searchField('target, architecture, solver …', 'Filter the fits', has => { this.has = has; this.filter(); });
    const statuses = found.map(s => make('option', {value: s}, (this.data.statuses[s] || ['unknown'])[0]));
    this.pick = make('select', {'aria-label': 'Status'}, make('option', {value: ''}, 'any status'), ...statuses);
    const sizes = make('select', {'aria-label': 'Rows on a page'}, ...[50, 200, 1000].map(n => make('option', {value: n}, n + ' rows')));
    this.back = make('button', {type: 'button', 'aria-label': 'Page before'}, '‹');
    this.on = make('button', {type: 'button', 'aria-label': 'Next page'}, '›');
    this.where = make('span', {role: 'status'});
    const save = make('button', {type: 'button'}, 'Save as CSV');
    const header = this.columns.map(c => make('th', {scope: 'col', class: c.right ? 'right' : ''}, c.title));
    this.tbody = make('tbody');
    place.replaceChildren(
      make('div', {class: 'bar'}, search, this.pick, make('span', {class: 'grow'}), this.where, this.back, this.on, sizes, save),
      make('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Table of fits'},
        make('table', {}, make('caption', {}, 'Every fit, errors to four digits; a filter takes words that must all occur in target, ' +
          'architecture, solver, start or run.'),
          make('thead', {}, make('tr', {}, ...header)), this.tbody)));
    sortBy(header, (column, up) => { this.order = ordered(this.order.length, this.columns[column].key, up); this.filter(); });
    this.pick.addEventListener('change', () => this.filter());
    sizes.addEventListener('change', () => { this.size = +sizes.value; this.turn(0); });
    this.back.addEventListener('click', () => this.turn(this.page - 1));
    this.on.addEventListener('click', () => this.turn(this.page + 1));
    save.addEventListener('click', () => this.save());
    this.filter();
  }
  filter() {
    const wanted = this.names.map(s => this.has(s.join(' '))), status = this.pick.value;
    this.shown = this.order.filter(i => wanted[this.data.s[i]] && (status === '' || this.data.status[i] === +status));
    this.turn(0);
  }
  turn(page) {
    const from = page * this.size, to = Math.min(this.shown.length, from + this.size);
    this.page = page;
    this.tbody.replaceChildren(...Array.from(this.shown.subarray(from, to), i => {
      const state = this.data.status[i], reason = state === 0 ? [] : [make('span', {class: 'why'}, this.status(i)[1])];
      const kind = state < 0 ? 'failed' : state > 0 ? 'ok1' : 'ok0';
      return make('tr', {}, ...this.columns.map(c => c.title === 'Status' ? make('td', {class: kind}, c.text(i), ...reason)
        : make('td', c.right ? {class: 'n'} : {}, c.text(i))));
    }));
    this.where.textContent = this.shown.length ? `${from + 1}–${to} of ${this.shown.length}` : 'none';
    this.back.disabled = page === 0;
    this.on.disabled = to === this.shown.length;
  }
  save() {
    const quote = text => /[",;\t\n\r]|^[#= ]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
    const plain = (c, i) => c.right ? c.text(i).replace('−', '-').replace('–', 'nan') : c.text(i);
    const lines = [this.columns.map(c => quote(c.title)), ...Array.from(this.shown, i => this.columns.map(c => quote(plain(c, i))))];
    const file = new Blob([lines.map(l => l.join(',')).join('\n') + '\n'], {type: 'text/csv'});
    const link = make('a', {download: 'fits.csv', href: URL.createObjectURL(file)});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
}

/* --- all of it --- */

function setUpPlots() {
  const near = new IntersectionObserver(entries => {
    for (const entry of entries)
      if (entry.isIntersecting) {
        near.unobserve(entry.target);
        new Plot(entry.target);
      }
  }, {rootMargin: '600px'});
  for (const figure of $$('#figures .plot')) near.observe(figure);
  for (const input of $$('.against input'))
    input.addEventListener('change', () => {
      body.classList.toggle('by-n', input.value === 'n');
      body.classList.toggle('by-P', input.value === 'P');
      hideTip();
    });
  for (const input of $$('.layers input'))
    input.addEventListener('change', () => body.classList.toggle('no-' + input.value, !input.checked));
}
/* Figures in large or small; of many those whose target or run has these words. */
function setUpFigures() {
  for (const figure of $$('.picture, .plot')) {
    const button = make('button', {type: 'button', 'aria-label': 'Large or small', title: 'Large or small'}, '⤢');
    button.addEventListener('click', () => figure.classList.toggle('big'));
    $('figcaption', figure).append(make('span', {class: 'zoom'}, button));
  }
  const figures = $$('#figures .plot'), tools = $('.tools');
  if (!tools || figures.length <= 6) return;
  const show = has => { for (const figure of figures) figure.hidden = !has($('figcaption', figure).textContent); };
  tools.prepend(searchField('target, run', 'Filter the figures', show));
}
function setUpTheme() {
  const button = $('#theme');
  button.addEventListener('click', () => {
    const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = dark ? 'light' : 'dark';
  });
}
setUpTheme();
setUpSeries();
setUpPlots();
setUpFigures();
for (const table of $$('table.sortable')) setUpTable(table);
const fits = $('#fits-data');
if (fits) new Fits($('#fits-table'), JSON.parse(fits.textContent));
window.addEventListener('keydown', event => { if (event.key === 'Escape') hideTip(); });
window.addEventListener('beforeprint', () => { for (const card of $$('.card')) card.open = true; });
})();
