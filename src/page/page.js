/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a page does beyond what its HTML says: panels take the room there is, zoom and say their values; series are shown
 * and hidden; tables are sorted. All of it works on data within the page; nothing is fetched. */
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
const raised = power => '10' + String(power).replace(/-/, '⁻').replace(/\d/g, digit => '⁰¹²³⁴⁵⁶⁷⁸⁹'[digit]);
function say(value, digits = 4) {
  if (value === null || value === undefined || !isFinite(value)) return '–';
  if (value === 0 || (Math.abs(value) >= 1e-3 && Math.abs(value) < 1e6)) return minus(String(+value.toPrecision(digits)));
  return minus(value.toExponential(digits - 1));
}

/* Places for numbers on an axis from low to high, in its coordinates: [place, text or ''] each. */
function plainTicks(low, high, count) {
  const rough = (high - low) / count, power = Math.pow(10, Math.floor(Math.log10(rough)));
  const step = [1, 2, 5, 10].find(factor => rough <= factor * power * 1.0001) * power, most = Math.max(Math.abs(low), Math.abs(high));
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), ticks = [];
  for (let k = Math.ceil(low / step); k <= Math.floor(high / step + 1e-9); k++) {
    const value = k * step;
    ticks.push([value, most >= 1e5 || decimals > 5 ? say(value, 3) : minus(value.toFixed(decimals))]);
  }
  return ticks;
}
function logTicks(low, high, count, upright) {
  const span = high - low, ticks = [];
  if (span < 0.9)
    return plainTicks(Math.pow(10, low), Math.pow(10, high), count).filter(t => t[0] > 0)
      .map(t => [Math.log10(t[0]), t[0] >= 1e-3 && t[0] < 1e5 ? t[1] : say(t[0], 3)]);
  const step = Math.max(1, Math.ceil(span / (count * 1.6)));
  for (let p = Math.floor(low); p <= Math.ceil(high); p++) {
    if (p % step === 0) ticks.push([p, upright || p >= 5 || p < 0 ? raised(p) : String(Math.pow(10, p))]);
    if (span < 2.5)
      for (const k of [2, 5]) ticks.push([p + Math.log10(k), p >= 5 ? '' : p >= 0 ? String(k * Math.pow(10, p)) : upright ? '' : say(k * Math.pow(10, p), 1)]);
  }
  return ticks.filter(t => t[0] >= low && t[0] <= high);
}

/* --- panels --- */

const LEFT = 66, RIGHT = 12, TOP = 10, BOTTOM = 40, UNITS = 10000, CLOSEST = 300;
const axisOf = text => {
  const parts = text.split(',');
  return {from: +parts[0], to: +parts[1], log: parts[2] === '1', label: parts.slice(3).join(',')};
};

class Panel {
  constructor(plot, svg) {
    this.plot = plot;
    this.svg = svg;
    this.frame = $('.frame', svg);
    this.view = $('.view', svg);
    this.marks = $('.marks', svg);
    this.local = svg.classList.contains('local');
    this.tall = svg.classList.contains('errors') || svg.classList.contains('fit');
    this.x = [axisOf(svg.dataset.x), svg.dataset.x2 ? axisOf(svg.dataset.x2) : null];
    this.y = axisOf(svg.dataset.y);
    this.down = [0, UNITS];
    this.width = 0;
  }
  get across() { return this.plot.across; }
  axis() { return this.x[1] && body.classList.contains('by-n') ? this.x[1] : this.x[0]; }
  layout() {
    const width = Math.round(this.svg.clientWidth);
    if (!width) return;
    const height = Math.round(this.tall ? Math.min(560, Math.max(270, width * .58)) : Math.min(230, Math.max(165, width * .3)));
    this.width = width - LEFT - RIGHT;
    this.height = height - TOP - BOTTOM;
    this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    for (const part of [this.view, this.marks]) {
      if (!part) continue;
      part.setAttribute('width', this.width);
      part.setAttribute('height', this.height);
    }
    this.show();
  }
  /* Window and numbers, after a change of either. */
  show() {
    if (!this.width) return;
    const [left, right] = this.across, [top, bottom] = this.down;
    this.view.setAttribute('viewBox', `${left} ${top} ${right - left} ${bottom - top}`);
    const percent = part => `${100 * part}%`;
    for (const marks of this.marks ? this.marks.children : [])
      for (const [name, part] of [['x', -left / (right - left)], ['y', -top / (bottom - top)], ['width', UNITS / (right - left)], ['height', UNITS / (bottom - top)]])
        marks.setAttribute(name, percent(part));
    const x = this.axis(), y = this.y, group = [], w = this.width, h = this.height;
    const value = (axis, part) => axis.from + (axis.to - axis.from) * part / UNITS;
    const put = (low, high, axis, upright) => {
      const count = upright ? h / (axis.log ? 45 : 34) : w / 85;
      for (const [at, text] of (axis.log ? logTicks : plainTicks)(low, high, count, upright)) {
        const place = (at - low) / (high - low), px = LEFT + place * w, py = TOP + (1 - place) * h;
        group.push(draw('path', {d: upright ? `M${LEFT},${py.toFixed(1)}h${w}` : `M${px.toFixed(1)},${TOP}v${h}`}));
        if (text) group.push(draw('text', upright ? {class: 'y', x: LEFT - 7, y: (py + 4).toFixed(1)} : {class: 'x', x: px.toFixed(1), y: TOP + h + 17}, text));
      }
    };
    put(value(x, left), value(x, right), x, false);
    put(value(y, UNITS - bottom), value(y, UNITS - top), y, true);
    group.push(draw('text', {class: 'title', x: LEFT + w / 2, y: TOP + h + 35}, x.label));
    group.push(draw('text', {class: 'title', transform: `translate(14,${TOP + h / 2})rotate(-90)`}, y.label));
    this.frame.replaceChildren(...group);
    this.mark(null);
  }
  /* Where numbers lie on the screen, within the SVG. */
  place(x, y) {
    const part = (axis, value) => ((axis.log ? Math.log10(value) : value) - axis.from) / (axis.to - axis.from) * UNITS;
    const [left, right] = this.across, [top, bottom] = this.down;
    return [LEFT + (part(this.axis(), x) - left) / (right - left) * this.width,
      TOP + (UNITS - part(this.y, y) - top) / (bottom - top) * this.height];
  }
  within([px, py]) { return px >= LEFT - 1 && px <= LEFT + this.width + 1 && py >= TOP - 1 && py <= TOP + this.height + 1; }
  mark(at) {
    if (this.ring) this.ring.remove();
    this.ring = null;
    if (at && this.within(at)) this.svg.append(this.ring = draw('circle', {class: 'ring', cx: at[0], cy: at[1], r: 6}));
  }
  pointer(event) {
    const box = this.svg.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }
}

/* A window of an axis, moved within reach. */
function clamp([low, high]) {
  const span = Math.min(UNITS, Math.max(CLOSEST, high - low)), middle = (low + high) / 2;
  const from = Math.min(UNITS - span, Math.max(0, middle - span / 2));
  return [from, from + span];
}

class Plot {
  constructor(figure) {
    this.figure = figure;
    this.across = [0, UNITS];
    this.panels = $$('.panel', figure).map(svg => new Panel(this, svg));
    this.at = null;
    this.addTools();
    for (const panel of this.panels) this.listen(panel);
    figure.addEventListener('keydown', event => this.key(event));
    new ResizeObserver(() => this.layout()).observe(figure);
  }
  layout() { for (const panel of this.panels) panel.layout(); }
  get data() {
    if (this.series === undefined) {
      const script = $('script', this.figure);
      this.series = script ? JSON.parse(script.textContent) : [];
    }
    return this.series;
  }
  addTools() {
    const button = (text, name, act) => {
      const b = make('button', {type: 'button', 'aria-label': name, title: name}, text);
      b.addEventListener('click', act);
      return b;
    };
    $('figcaption', this.figure).append(make('span', {class: 'zoom'},
      button('+', 'Zoom in', () => this.scale(.6)), button('−', 'Zoom out', () => this.scale(1 / .6)),
      button('↺', 'Whole figure', () => this.reset()),
      button('⤢', 'Large or small', () => this.figure.classList.toggle('big'))));
    if (!$('script', this.figure)) return;
    const details = make('details', {class: 'values'}, make('summary', {}, 'Values as a table'));
    details.addEventListener('toggle', () => { if (details.open && !$('table', details)) this.fillValues(details); });
    this.figure.append(details);
  }
  fillValues(details) {
    const columns = [['label', 'Series'], ['x2', 'n'], ['x', 'P'], ['error', 'error'], ['low', 'quartile'], ['high', 'quartile'], ['seeds', 'seeds'], ['below', 'no network below'], ['theory', 'theory']]
      .filter(c => c[0] === 'label' || this.data.some(s => s[c[0]]));
    const rows = this.data.flatMap(s => (s.x || []).map((_, i) => make('tr', {}, ...columns.map(c =>
      c[0] === 'label' ? make('th', {scope: 'row'}, s.label) : make('td', {class: 'n'}, say(s[c[0]] ? s[c[0]][i] : null, 5))))));
    details.append(make('div', {class: 'scroll', tabindex: 0}, make('table', {}, make('thead', {}, make('tr', {}, ...columns.map(c => make('th', {scope: 'col', class: c[0] === 'label' ? '' : 'right'}, c[1])))),
      make('tbody', {}, ...rows))));
  }
  reset() {
    this.across = [0, UNITS];
    for (const panel of this.panels) panel.down = [0, UNITS];
    this.show();
  }
  show() { hideTip(); for (const panel of this.panels) panel.show(); }
  scale(factor, panel = this.panels[0], at = [.5, .5]) {
    const about = ([low, high], part) => clamp([low + (high - low) * part * (1 - factor), high - (high - low) * (1 - part) * (1 - factor)]);
    this.across = about(this.across, at[0]);
    panel.down = about(panel.down, at[1]);
    this.show();
  }
  listen(panel) {
    let from = null, box = null;
    const svg = panel.svg;
    const inside = p => [Math.min(LEFT + panel.width, Math.max(LEFT, p[0])), Math.min(TOP + panel.height, Math.max(TOP, p[1]))];
    const end = () => { if (box) box.remove(); from = box = null; };
    svg.addEventListener('pointerdown', event => {
      const p = panel.pointer(event);
      if (event.button !== 0 || event.pointerType === 'touch' || !panel.within(p)) return;
      from = p;
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener('pointermove', event => {
      if (!from) { this.hover(panel, panel.pointer(event), event); return; }
      const p = inside(panel.pointer(event));
      if (!box) svg.append(box = draw('rect', {class: 'select'}));
      for (const [k, v] of [['x', Math.min(p[0], from[0])], ['y', Math.min(p[1], from[1])], ['width', Math.abs(p[0] - from[0])], ['height', Math.abs(p[1] - from[1])]]) box.setAttribute(k, v);
    });
    svg.addEventListener('pointerup', event => {
      if (!from) return;
      const a = from, b = inside(panel.pointer(event));
      end();
      if (Math.abs(a[0] - b[0]) < 8 || Math.abs(a[1] - b[1]) < 8) return;
      const window = ([low, high], one, two) => clamp([low + (high - low) * Math.min(one, two), low + (high - low) * Math.max(one, two)]);
      this.across = window(this.across, (a[0] - LEFT) / panel.width, (b[0] - LEFT) / panel.width);
      panel.down = window(panel.down, (a[1] - TOP) / panel.height, (b[1] - TOP) / panel.height);
      this.show();
    });
    svg.addEventListener('pointercancel', end);
    svg.addEventListener('pointerleave', () => { if (!from) { panel.mark(null); hideTip(); } });
    svg.addEventListener('dblclick', () => this.reset());
    svg.addEventListener('wheel', event => {
      if (!event.ctrlKey && !event.shiftKey) return;
      event.preventDefault();
      const p = panel.pointer(event), delta = event.deltaY || event.deltaX;
      this.scale(delta > 0 ? 1.2 : 1 / 1.2, panel, [(p[0] - LEFT) / panel.width, (p[1] - TOP) / panel.height]);
    }, {passive: false});
  }
  /* The points of a panel as they stand now: [series, index, x, y]. */
  points(panel) {
    const second = panel.axis() === panel.x[1], found = [];
    for (const s of this.data) {
      if (hidden.has(s.s)) continue;
      const x = panel.local ? (second ? s.mx2 : s.mx) : second ? s.x2 : s.x, y = panel.local ? (second ? s.slope2 : s.slope) : s.error;
      for (let i = 0; x && y && i < x.length; i++) found.push([s, i, x[i], y[i]]);
    }
    return found;
  }
  hover(panel, at, event) {
    let best = null, least = 34 * 34;
    for (const point of this.points(panel)) {
      const [px, py] = panel.place(point[2], point[3]), distance = (px - at[0]) ** 2 + (py - at[1]) ** 2;
      if (distance < least && panel.within([px, py])) { least = distance; best = point; }
    }
    if (!best) { panel.mark(null); hideTip(); return; }
    this.tell(panel, best, event.clientX, event.clientY);
  }
  lines(panel, [s, i]) {
    if (panel.local) {
      const second = panel.axis() === panel.x[1];
      return [[second ? 'width' : 'parameters', say((second ? s.mx2 : s.mx)[i], 4)], ['local slope', say((second ? s.slope2 : s.slope)[i], 4)]];
    }
    const lines = [['error', say(s.error[i], 5)], ['parameters P', say(s.x[i], 8)], ['width n', say(s.x2[i], 8)]];
    if (s.low) lines.push(['quartiles', `${say(s.low[i])} … ${say(s.high[i])}`], ['seeds', String(s.seeds[i])]);
    if (s.theory && s.theory[i]) lines.push(['theory', say(s.theory[i])]);
    if (s.below && s.below[i]) lines.push(['none gets below', say(s.below[i])]);
    if (s.hollow && s.hollow[i]) lines.push(['', 'overfits']);
    return lines;
  }
  tell(panel, point, x, y) {
    const lines = this.lines(panel, point);
    panel.mark(panel.place(point[2], point[3]));
    tip.replaceChildren(make('b', {}, point[0].label), make('dl', {}, ...lines.map(l => make('div', {}, make('dt', {}, l[0]), make('dd', {}, l[1])))));
    tip.style.display = 'block';
    const box = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, x + 16 + box.width > innerWidth ? x - box.width - 16 : x + 16) + 'px';
    tip.style.top = Math.max(4, Math.min(innerHeight - box.height - 4, y + 14)) + 'px';
    return point[0].label + ': ' + lines.map(l => l.join(' ')).join(', ');
  }
  key(event) {
    if (event.target !== this.figure || event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1]};
    if (steps[event.key] && this.data.length) this.walk(...steps[event.key]);
    else if (event.key === '+' || event.key === '=') this.scale(.6);
    else if (event.key === '-') this.scale(1 / .6);
    else if (event.key === '0' || event.key === 'Escape') this.reset();
    else return;
    event.preventDefault();
  }
  walk(along, between) {
    const shown = this.data.filter(s => !hidden.has(s.s) && s.x), panel = this.panels[0];
    if (!shown.length) return;
    let [series, index] = this.at || [0, along ? -along : 0];
    series = Math.min(shown.length - 1, Math.max(0, series + between));
    index = Math.min(shown[series].x.length - 1, Math.max(0, index + along));
    this.at = [series, index];
    const s = shown[series], second = panel.axis() === panel.x[1], point = [s, index, (second ? s.x2 : s.x)[index], s.error[index]];
    const place = panel.place(point[2], point[3]), box = panel.svg.getBoundingClientRect();
    said.textContent = this.tell(panel, point, box.left + place[0], box.top + place[1]);
  }
}

function hideTip() { tip.style.display = 'none'; }

/* --- series shown and hidden --- */

const hidden = new Set(), rules = document.head.appendChild(make('style'));
let lit = null;
function showSeries() {
  rules.textContent = Array.from(hidden, s => `.panel .s[data-s="${s}"]{display:none}`).join('') +
    (lit === null ? '' : `.panel .s:not([data-s="${lit}"]){opacity:.13}`);
}
function pressAll() {
  for (const button of $$('.toggle')) button.setAttribute('aria-pressed', String(!hidden.has(+button.dataset.s)));
  showSeries();
}
function setUpSeries() {
  const all = new Set($$('.toggle').map(button => +button.dataset.s));
  const toggleOf = event => event.target.closest && event.target.closest('.toggle');
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
    const number = (title, column, digits) => ({title, right: true, text: i => say(this.value(i, column), digits), key: i => { const v = this.value(i, column); return v === null ? NaN : +v; }});
    this.columns = [...(data.runs.length > 1 ? [name('Run', 0)] : []), name('Target', 1), name('Architecture', 2), number('n', 'n', 12), number('P', 'P', 12),
      {title: 'Seed', right: true, text: i => String(this.value(i, 'seed')), key: i => +this.value(i, 'seed')},
      {title: 'Status', status: true, text: i => this.status(i)[0], key: i => +this.value(i, 'status')},
      number('Train RMSE', 'train'), number('Test RMSE', 'test'), number('Max error', 'max'), number('Steps', 'iterations', 12), number('Seconds', 'seconds', 2),
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
    this.pick = make('select', {'aria-label': 'Status'}, make('option', {value: ''}, 'any status'), ...found.map(s => make('option', {value: s}, (this.statuses[s] || ['unknown'])[0])));
    this.sizes = make('select', {'aria-label': 'Rows on a page'}, ...[50, 200, 1000].map(n => make('option', {value: n}, n + ' rows')));
    this.back = make('button', {type: 'button', 'aria-label': 'Page before'}, '‹');
    this.on = make('button', {type: 'button', 'aria-label': 'Next page'}, '›');
    this.where = make('span', {role: 'status'});
    const save = make('button', {type: 'button'}, 'Save as CSV');
    this.header = this.columns.map(c => make('th', {scope: 'col', class: c.right ? 'right' : ''}, c.title));
    this.tbody = make('tbody');
    place.replaceChildren(make('div', {class: 'bar'}, this.search, this.pick, make('span', {class: 'grow'}), this.where, this.back, this.on, this.sizes, save),
      make('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Table of fits'},
        make('table', {}, make('caption', {}, 'Every fit, errors to four digits; a filter takes words that must all occur in target, architecture, solver, start or run.'),
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
    this.shown = words.length || status !== '' ? this.order.filter(i => wanted[this.kind[i]] && (status === '' || this.value(i, 'status') === +status)) : this.order;
    this.turn(0);
  }
  turn(page) {
    const pages = Math.max(1, Math.ceil(this.shown.length / this.size));
    this.page = Math.min(pages - 1, Math.max(0, page));
    const from = this.page * this.size, to = Math.min(this.shown.length, from + this.size);
    this.tbody.replaceChildren(...Array.from(this.shown.subarray(from, to), i => {
      const state = +this.value(i, 'status'), reason = state === 0 ? [] : [make('span', {class: 'why'}, this.status(i)[1])];
      return make('tr', {}, ...this.columns.map(c => c.status ? make('td', {class: state < 0 ? 'failed' : state > 0 ? 'ok1' : 'ok0'}, c.text(i), ...reason)
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
    const link = make('a', {download: 'fits.csv', href: URL.createObjectURL(new Blob([lines.map(l => l.join(',')).join('\n') + '\n'], {type: 'text/csv'}))});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
}

/* --- all of it --- */

const plots = new Map();
function setUpPlots() {
  const near = new IntersectionObserver(entries => {
    for (const entry of entries)
      if (entry.isIntersecting && !plots.has(entry.target)) {
        near.unobserve(entry.target);
        plots.set(entry.target, new Plot(entry.target));
      }
  }, {rootMargin: '600px'});
  for (const figure of $$('.plot')) near.observe(figure);
  for (const input of $$('.against input'))
    input.addEventListener('change', () => {
      body.classList.toggle('by-n', input.value === 'n');
      body.classList.toggle('by-P', input.value === 'P');
      for (const plot of plots.values()) plot.show();
    });
  for (const input of $$('.layers input'))
    input.addEventListener('change', () => {
      body.classList.toggle('no-' + input.value, !input.checked);
      for (const plot of plots.values()) plot.layout();
    });
}
/* Pictures in large or small; of many figures those whose target or run has these words. */
function setUpFigures() {
  for (const figure of $$('.picture')) {
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
