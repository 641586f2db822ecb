/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a page does beyond what its HTML says: figures zoom and say their values; series are shown and hidden; tables are
 * sorted. All of it works on data within the page; nothing is fetched. */
(function () {
'use strict';
const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => Array.from(root.querySelectorAll(selector));
const make = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};
const draw = (name, attributes = {}, text) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
};
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

/* gnuplot's picture: its marks lie where their numbers are. */
class Panel {
  constructor(svg) {
    this.svg = svg;
    this.whole = svg.getAttribute('viewBox').split(' ').map(Number);
    this.box = this.whole;
  }
  /* [series, index, x, y] of each mark; of a series those of widths that overfit stand in a group of their own. */
  marks(data) {
    if (this.found) return this.found;
    this.found = [];
    for (const s of data)
      for (const kind of ['points', 'hollow']) {
        const rows = s.error.map((_, i) => i).filter(i => Boolean(s.overfit && s.overfit[i]) === (kind === 'hollow'));
        $$(`.${kind}[data-s="${s.s}"] use`, this.svg).forEach((use, k) => {
          const at = use.getAttribute('transform').match(/[-\d.]+/g);
          this.found.push([s, rows[k], +at[0], +at[1]]);
        });
      }
    return this.found;
  }
  place(event) { return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse()); }
  onScreen(mark) { return new DOMPoint(mark[2], mark[3]).matrixTransform(this.svg.getScreenCTM()); }
  ring(mark) {
    const old = $('.ring', this.svg);
    if (old) old.remove();
    if (mark) this.svg.append(draw('circle', {class: 'ring', cx: mark[2], cy: mark[3], r: 6 / this.svg.getScreenCTM().a}));
  }
  zoom(box) {
    const [x, y, width, height] = this.whole, part = Math.min(1, Math.max(.03, box[2] / width, box[3] / height));
    const within = (from, middle, size) => Math.min(from + size * (1 - part), Math.max(from, middle - size * part / 2));
    this.box = [within(x, box[0] + box[2] / 2, width), within(y, box[1] + box[3] / 2, height), width * part, height * part];
    this.svg.setAttribute('viewBox', this.box.map(n => +n.toFixed(2)).join(' '));
  }
}

class Plot {
  constructor(figure) {
    this.figure = figure;
    this.panels = $$('.panel', figure).map(svg => new Panel(svg));
    this.at = null;
    this.addTools();
    for (const panel of this.panels) this.listen(panel);
    figure.addEventListener('keydown', event => this.key(event));
  }
  get panel() { return this.panels.find(panel => panel.svg.clientWidth) || this.panels[0]; }
  get data() {
    if (this.series === undefined) {
      const script = $('script', this.figure);
      this.series = script ? JSON.parse(script.textContent) : [];
    }
    return this.series;
  }
  addTools() {
    if (!this.panels.length) return;
    const button = (text, name, act) => {
      const b = make('button', {type: 'button', 'aria-label': name, title: name}, text);
      b.addEventListener('click', act);
      return b;
    };
    $('figcaption', this.figure).append(make('span', {class: 'zoom'},
      button('+', 'Zoom in', () => this.scale(.6)), button('−', 'Zoom out', () => this.scale(1 / .6)),
      button('↺', 'Whole figure', () => this.reset()), button('⤢', 'Large or small', () => this.figure.classList.toggle('big'))));
    const details = make('details', {class: 'values'}, make('summary', {}, 'Values as a table'));
    details.addEventListener('toggle', () => { if (details.open && !$('table', details)) this.fillValues(details); });
    this.figure.append(details);
  }
  fillValues(details) {
    const columns = [['label', 'Series'], ['n', 'n'], ['P', 'P'], ['error', 'error'], ['low', 'quartile'], ['high', 'quartile'],
      ['seeds', 'seeds'], ['below', 'no network below'], ['theory', 'theory'], ['localn', 'local slope, n'], ['localP', 'local slope, P']]
      .filter(c => c[0] === 'label' || this.data.some(s => s[c[0]]));
    const cell = (s, i, name) => name === 'label' ? make('th', {scope: 'row'}, s.label)
      : make('td', {class: 'n'}, say(s[name] ? s[name][i] : null, 'nP'.includes(name) ? 15 : 5));
    const rows = this.data.flatMap(s => s.error.map((_, i) => make('tr', {}, ...columns.map(c => cell(s, i, c[0])))));
    const header = columns.map(c => make('th', {scope: 'col', class: c[0] === 'label' ? '' : 'right'}, c[1]));
    details.append(make('div', {class: 'scroll', tabindex: 0},
      make('table', {}, make('thead', {}, make('tr', {}, ...header)), make('tbody', {}, ...rows))));
  }
  reset() { hideTip(); for (const panel of this.panels) panel.zoom(panel.whole); }
  /* About a place of the panel, else its middle. */
  scale(factor, at) {
    const panel = this.panel, [x, y, width, height] = panel.box, to = at || {x: x + width / 2, y: y + height / 2};
    hideTip();
    panel.zoom([to.x - (to.x - x) * factor, to.y - (to.y - y) * factor, width * factor, height * factor]);
  }
  listen(panel) {
    const svg = panel.svg;
    let from = null, box = null;
    const end = () => { if (box) box.remove(); from = box = null; };
    const corners = (a, b) => [Math.min(a.x, b.x), Math.min(a.y, b.y), Math.abs(a.x - b.x), Math.abs(a.y - b.y)];
    svg.addEventListener('pointerdown', event => {
      if (event.button === 0 && event.pointerType !== 'touch' && !event.target.closest('.key')) from = panel.place(event);
    });
    svg.addEventListener('pointermove', event => {
      const at = panel.place(event);
      if (!from) { this.hover(panel, at, event); return; }
      const [x, y, width, height] = corners(at, from);
      if (!box && Math.max(width, height) * svg.getScreenCTM().a < 8) return;
      if (!box) {
        svg.setPointerCapture(event.pointerId);
        svg.append(box = draw('rect', {class: 'select'}));
      }
      for (const [k, v] of Object.entries({x, y, width, height})) box.setAttribute(k, v);
    });
    svg.addEventListener('pointerup', event => {
      const a = from, b = panel.place(event), dragged = box !== null;
      end();
      if (dragged) panel.zoom(corners(a, b));
    });
    svg.addEventListener('pointercancel', end);
    svg.addEventListener('pointerleave', () => { if (!box) { from = null; panel.ring(null); hideTip(); } });
    svg.addEventListener('dblclick', () => this.reset());
    svg.addEventListener('wheel', event => {
      if (!event.ctrlKey && !event.shiftKey) return;
      event.preventDefault();
      this.scale((event.deltaY || event.deltaX) > 0 ? 1.2 : 1 / 1.2, panel.place(event));
    }, {passive: false});
  }
  hover(panel, at, event) {
    let best = null, least = 34 / panel.svg.getScreenCTM().a;
    for (const mark of panel.marks(this.data)) {
      const distance = Math.hypot(mark[2] - at.x, mark[3] - at.y);
      if (distance < least && !hidden.has(mark[0].s)) { least = distance; best = mark; }
    }
    panel.ring(best);
    if (best) this.tell(panel, best, event.clientX, event.clientY);
    else hideTip();
  }
  lines(panel, [s, i]) {
    const lines = [['error', say(s.error[i], 5)], ['parameters P', say(s.P[i], 15)], ['width n', say(s.n[i], 15)]];
    const local = panel.svg.classList.contains('against-n') ? s.localn : s.localP;
    if (s.low && isFinite(s.low[i])) lines.push(['quartiles', `${say(s.low[i])} … ${say(s.high[i])}`], ['seeds', String(s.seeds[i])]);
    if (s.theory && s.theory[i]) lines.push(['theory', say(s.theory[i])]);
    if (s.below && s.below[i]) lines.push(['none gets below', say(s.below[i])]);
    if (local && local[i] !== null) lines.push(['local slope', say(local[i])]);
    if (s.overfit && s.overfit[i]) lines.push(['', 'overfits']);
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
    if (event.target !== this.figure || event.ctrlKey || event.metaKey || event.altKey || !this.data.length) return;
    const steps = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1]};
    if (steps[event.key]) this.walk(...steps[event.key]);
    else if (event.key === '+' || event.key === '=') this.scale(.6);
    else if (event.key === '-') this.scale(1 / .6);
    else if (event.key === '0' || event.key === 'Escape') this.reset();
    else return;
    event.preventDefault();
  }
  walk(along, between) {
    const shown = this.data.filter(s => !hidden.has(s.s)), panel = this.panel;
    if (!shown.length) return;
    let [series, index] = this.at || [0, along ? -along : 0];
    series = Math.min(shown.length - 1, Math.max(0, series + between));
    index = Math.min(shown[series].error.length - 1, Math.max(0, index + along));
    this.at = [series, index];
    const mark = panel.marks(this.data).find(m => m[0] === shown[series] && m[1] === index), at = panel.onScreen(mark);
    panel.ring(mark);
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
const collator = new Intl.Collator('en', {numeric: true});
function setUpTable(table) {
  const header = $$('thead th', table), rows = $$('tbody tr', table), tbody = $('tbody', table);
  const key = (row, column) => {
    const data = $('data', row.children[column]), text = row.children[column].textContent;
    return data ? +data.value : text === '–' ? NaN : text;
  };
  header.forEach((cell, column) => { if (rows[0] && rows[0].children[column].classList.contains('n')) cell.classList.add('right'); });
  sortBy(header, (column, up) => {
    const keyed = rows.map((row, i) => [key(row, column), i, row]), sign = up ? 1 : -1;
    keyed.sort((a, b) => {
      const none = v => typeof v === 'number' && isNaN(v);
      if (none(a[0]) || none(b[0])) return none(a[0]) - none(b[0]) || a[1] - b[1];
      return sign * (typeof a[0] === 'number' && typeof b[0] === 'number' ? a[0] - b[0] : collator.compare(a[0], b[0])) || a[1] - b[1];
    });
    tbody.append(...keyed.map(k => k[2]));
  });
  if (rows.length <= 12) return;
  const search = make('input', {type: 'search', placeholder: 'Filter: words of a row', 'aria-label': 'Filter the table of slopes'});
  search.addEventListener('input', () => {
    const words = search.value.toLowerCase().split(/\s+/);
    for (const row of rows) row.hidden = !words.every(w => row.textContent.toLowerCase().includes(w));
  });
  table.closest('.scroll').before(make('div', {class: 'bar'}, search));
}

/* All fits, from their columns. Every key that a column is sorted by is a number: of names the rank. */
class Fits {
  constructor(place, data) {
    this.runs = data.runs;
    this.statuses = data.statuses;
    this.count = data.runs.reduce((sum, run) => sum + run.rows, 0);
    this.series = [];
    this.page = 0;
    this.size = 50;
    this.row = new Uint32Array(this.count);
    this.of = new Uint16Array(this.count);
    this.kind = new Uint32Array(this.count);
    let at = 0;
    data.runs.forEach((run, r) => {
      const base = this.series.length;
      for (const s of run.series) this.series.push([run.name, s[0], s[1] + (s[2] && s[2] !== 'relu' ? ' (' + s[2] + ')' : ''), s[3], s[4]]);
      for (let i = 0; i < run.rows; i++, at++) { this.row[at] = i; this.of[at] = r; this.kind[at] = base + run.s[i]; }
    });
    this.order = Uint32Array.from({length: this.count}, (_, i) => i);
    this.shown = this.order;
    const name = (title, index) => ({title, text: i => this.series[this.kind[i]][index], key: this.rank(index)});
    const real = v => v === null ? NaN : +v;
    const number = (title, column, digits) => ({title, right: true, text: i => say(this.value(i, column), digits),
      key: i => real(this.value(i, column))});
    this.columns = [...(data.runs.length > 1 ? [name('Run', 0)] : []), name('Target', 1), name('Architecture', 2),
      number('n', 'n', 12), number('P', 'P', 12),
      {title: 'Seed', right: true, text: i => String(this.value(i, 'seed')), key: i => +this.value(i, 'seed')},
      {title: 'Status', status: true, text: i => this.status(i)[0], key: i => +this.value(i, 'status')},
      number('Train RMSE', 'train'), number('Test RMSE', 'test'), number('Max error', 'max'),
      number('Steps', 'iterations', 12), number('Seconds', 'seconds', 2),
      name('Solver', 3), name('Start', 4)];
    this.build(place);
  }
  value(i, column) { return this.runs[this.of[i]][column][this.row[i]]; }
  status(i) { return this.statuses[this.value(i, 'status')] || ['unknown', '']; }
  rank(index) {
    const names = Array.from(new Set(this.series.map(s => s[index]))).sort(collator.compare), place = new Map(names.map((n, k) => [n, k]));
    const ranks = this.series.map(s => place.get(s[index]));
    return i => ranks[this.kind[i]];
  }
  build(place) {
    const found = Array.from(new Set(this.runs.flatMap(run => Array.from(new Set(run.status))))).sort((a, b) => a - b);
    this.search = make('input', {type: 'search', placeholder: 'Filter: target, architecture, solver …', 'aria-label': 'Filter the fits'});
    const statuses = found.map(s => make('option', {value: s}, (this.statuses[s] || ['unknown'])[0]));
    this.pick = make('select', {'aria-label': 'Status'}, make('option', {value: ''}, 'any status'), ...statuses);
    this.sizes = make('select', {'aria-label': 'Rows on a page'}, ...[50, 200, 1000].map(n => make('option', {value: n}, n + ' rows')));
    this.back = make('button', {type: 'button', 'aria-label': 'Page before'}, '‹');
    this.on = make('button', {type: 'button', 'aria-label': 'Next page'}, '›');
    this.where = make('span', {role: 'status'});
    const save = make('button', {type: 'button'}, 'Save as CSV');
    this.header = this.columns.map(c => make('th', {scope: 'col', class: c.right ? 'right' : ''}, c.title));
    this.tbody = make('tbody');
    place.replaceChildren(
      make('div', {class: 'bar'}, this.search, this.pick, make('span', {class: 'grow'}), this.where, this.back, this.on, this.sizes, save),
      make('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Table of fits'},
        make('table', {}, make('caption', {}, 'Every fit, errors to four digits; a filter takes words that must all occur in target, ' +
          'architecture, solver, start or run.'),
          make('thead', {}, make('tr', {}, ...this.header)), this.tbody)));
    sortBy(this.header, (column, up) => { this.sort(column, up); this.filter(); });
    this.search.addEventListener('input', () => this.filter());
    this.pick.addEventListener('change', () => this.filter());
    this.sizes.addEventListener('change', () => { this.size = +this.sizes.value; this.turn(0); });
    this.back.addEventListener('click', () => this.turn(this.page - 1));
    this.on.addEventListener('click', () => this.turn(this.page + 1));
    save.addEventListener('click', () => this.save());
    this.filter();
  }
  sort(column, up) {
    const key = this.columns[column].key, keys = Float64Array.from({length: this.count}, (_, i) => key(i)), sign = up ? 1 : -1;
    this.order = this.order.slice().sort((a, b) => {
      const x = keys[a], y = keys[b];
      if (x !== x || y !== y) return (x !== x) - (y !== y) || a - b;
      return sign * (x - y) || a - b;
    });
  }
  filter() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(w => w), status = this.pick.value;
    const wanted = this.series.map(s => { const text = s.join(' ').toLowerCase(); return words.every(w => text.includes(w)); });
    const is = i => wanted[this.kind[i]] && (status === '' || this.value(i, 'status') === +status);
    this.shown = words.length || status !== '' ? this.order.filter(is) : this.order;
    this.turn(0);
  }
  turn(page) {
    const pages = Math.max(1, Math.ceil(this.shown.length / this.size));
    this.page = Math.min(pages - 1, Math.max(0, page));
    const from = this.page * this.size, to = Math.min(this.shown.length, from + this.size);
    this.tbody.replaceChildren(...Array.from(this.shown.subarray(from, to), i => {
      const state = +this.value(i, 'status'), reason = state === 0 ? [] : [make('span', {class: 'why'}, this.status(i)[1])];
      const kind = state < 0 ? 'failed' : state > 0 ? 'ok1' : 'ok0';
      return make('tr', {}, ...this.columns.map(c => c.status ? make('td', {class: kind}, c.text(i), ...reason)
        : make('td', c.right ? {class: 'n'} : {}, c.text(i))));
    }));
    this.where.textContent = this.shown.length ? `${from + 1}–${to} of ${this.shown.length}` : 'none';
    this.back.disabled = this.page === 0;
    this.on.disabled = this.page === pages - 1;
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
/* Pictures in large or small; of many figures those whose target or run has these words. */
function setUpFigures() {
  for (const figure of $$('.picture, .single')) {
    const button = make('button', {type: 'button', 'aria-label': 'Large or small', title: 'Large or small'}, '⤢');
    button.addEventListener('click', () => figure.classList.toggle('big'));
    $('figcaption', figure).append(make('span', {class: 'zoom'}, button));
  }
  const figures = $$('#figures .plot'), tools = $('.tools');
  if (!tools || figures.length <= 6) return;
  const search = make('input', {type: 'search', placeholder: 'Filter: target, run', 'aria-label': 'Filter the figures'});
  search.addEventListener('input', () => {
    const words = search.value.toLowerCase().split(/\s+/);
    for (const figure of figures) figure.hidden = !words.every(w => $('figcaption', figure).textContent.toLowerCase().includes(w));
  });
  tools.prepend(search);
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
