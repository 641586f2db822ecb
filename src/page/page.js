/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shows the page's data: what was run, slopes, figures, single fits, separations, pictures, all fits. Figures tell
 * their values, series can be hidden, tables can be sorted. Nothing is fetched from a network. */
(function () {
'use strict';
const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => Array.from(root.querySelectorAll(selector));
/* Control characters become blanks; characters that turn the direction of text become U+FFFD. */
const clean = text => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ').replace(/[\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
/* Sets attributes and adds children. A function listens to the event of its name. */
const fill = (element, attributes = {}, ...children) => {
  for (const [key, value] of Object.entries(attributes))
    if (typeof value === 'function') element.addEventListener(key, value);
    else element.setAttribute(key, typeof value === 'string' ? clean(value) : value);
  element.append(...children.map(child => typeof child === 'string' ? clean(child) : child));
  return element;
};
const make = (name, ...rest) => fill(document.createElement(name), ...rest);
const button = (text, click, attributes) => make('button', {type: 'button', ...attributes, click}, text);
const draw = (name, ...rest) => fill(document.createElementNS('http://www.w3.org/2000/svg', name), ...rest);
const {title, labels, statuses, runs} = JSON.parse($('#data').textContent);
const column = text => text.split(' ').slice(1);
for (const {fits, series} of runs) {
  for (const name in fits) if (name !== 'names') fits[name] = column(fits[name]);
  if (fits.samples.length === 1) fits.samples = fits.n.map(() => fits.samples[0]);
  for (const s of series)
    for (const name of ['n', 'P', 'error', 'low', 'high', 'seeds', 'floor', 'below', 'theory', 'overfit']) s[name] = column(s[name]).map(Number);
}
const root = document.documentElement, body = document.body, many = runs.length > 1;
const nav = make('nav', {'aria-label': 'Contents'}), main = make('main', {id: 'main'});
const tip = make('div', {id: 'tip', 'aria-hidden': true}), said = make('div', {id: 'said', class: 'skip', role: 'status'});
/* Adds a section with its title, and a link to it in the contents. */
function section(id, name, ...children) {
  nav.append(make('a', {href: '#' + id}, name));
  main.append(make('section', {id, 'aria-labelledby': id + '-title'}, make('h2', {id: id + '-title'}, name), ...children));
}

const minus = text => text.replace(/^-(?=.*[1-9])/, '−').replace(/^-/, '');
function say(value, digits = 4) {
  if (!isFinite(value)) return '–';
  if (value === 0 || (Math.abs(value) >= 1e-3 && Math.abs(value) < 1e6)) return minus(String(+value.toPrecision(digits)));
  return minus(value.toExponential(digits - 1));
}
/* Numbers of the data as people read them; the element data has all digits, too. */
const fixed = (text, decimals) => !isFinite(text) ? '–' : minus(Math.abs(text) < 1e6 ? (+text).toFixed(decimals) : (+text).toPrecision(decimals || 4));
const exact = (text, shown) => isFinite(text) ? make('data', {value: text}, shown) : '–';
const number = (text, decimals) => make('td', {class: 'n'}, exact(text, fixed(text, decimals)));
const power = (value, digits) => (+value).toExponential(digits).replace(/([-+])(\d)$/, (_, sign, digit) => sign + '0' + digit);
const words = text => make('td', {class: 'target'}, text);
const plural = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`;

const collator = new Intl.Collator('en', {numeric: true});
/* The numbers 0..count-1 in the order of their keys, numbers or texts; NaN comes last. */
function ordered(count, key, up) {
  const keys = Array.from({length: count}, (_, i) => key(i)), texts = new Set(keys.filter(k => typeof k === 'string'));
  const rank = new Map([...texts].sort(collator.compare).map((text, place) => [text, place]));
  const value = Float64Array.from(keys, k => typeof k === 'string' ? rank.get(k) : k), sign = up ? 1 : -1;
  return Uint32Array.from(keys.keys()).sort((a, b) => {
    const x = value[a], y = value[b];
    return x !== x || y !== y ? (x !== x) - (y !== y) || a - b : sign * (x - y) || a - b;
  });
}
/* A table that scrolls in its frame. columns: [title, is a number]; act(column, ascending) sorts the body. */
function tableOf(columns, tbody, attributes, caption, act) {
  const header = columns.map(([name, right], column) => {
    const sort = () => {
      const up = cell.getAttribute('aria-sort') !== 'ascending';
      for (const other of header) other.removeAttribute('aria-sort');
      cell.setAttribute('aria-sort', up ? 'ascending' : 'descending');
      act(column, up);
    };
    const cell = make('th', {scope: 'col', class: right ? 'right' : ''}, act ? button(name, sort) : name);
    return cell;
  });
  return make('div', {class: 'scroll', tabindex: 0, role: 'region', ...attributes},
    make('table', {}, ...(caption ? [make('caption', {}, ...caption)] : []), make('thead', {}, make('tr', {}, ...header)), tbody));
}
/* A field for words. Input calls act(has), where has(text) says whether a text has all the words. */
function searchField(what, name, act) {
  const input = event => {
    const words = event.target.value.toLowerCase().split(/\s+/);
    act(text => words.every(w => text.toLowerCase().includes(w)));
  };
  return make('input', {type: 'search', placeholder: 'Filter: ' + what, 'aria-label': name, input});
}
/* A table whose rows can be sorted and, where there are more than 12, filtered. */
function sortable(titles, rows, attributes, caption) {
  const tbody = make('tbody', {}, ...rows), columns = titles.map((name, c) => [name, !!rows[0] && rows[0].children[c].classList.contains('n')]);
  const key = ({children}, column) => {
    const data = $('data', children[column]), text = children[column].textContent;
    return data ? +data.value : text === '–' ? NaN : text;
  };
  const table = tableOf(columns, tbody, attributes, caption,
    (column, up) => tbody.append(...Array.from(ordered(rows.length, i => key(rows[i], column), up), i => rows[i])));
  const show = has => { for (const row of rows) row.hidden = !has(row.textContent); };
  return rows.length <= 12 ? [table] : [make('div', {class: 'bar'}, searchField('words of a row', 'Filter the table', show)), table];
}

/* Names each run by its folder's path, without the beginning that all paths share. */
function nameRuns() {
  const paths = runs.map(run => run.folder.split('/')), most = Math.min(...paths.map(p => p.length)) - 1;
  let same = 0;
  while (same < most && paths.every(p => p[same] === paths[0][same])) same++;
  runs.forEach((run, r) => { run.name = paths[r].slice(same).join('/') || '/'; });
}
function span(list) {
  const sorted = list.map(BigInt).sort((a, b) => a < b ? -1 : 1), [least, most] = [sorted[0], sorted[list.length - 1]];
  return least === most ? String(least) : `${least} to ${most}`;
}
/* A list of [name, text] for all that is known of a run. */
function facts({record, fits, series}) {
  const {writers = [], cpu, blas, processors = 0} = record, by = w => `${w.version || 'unknown'}, commit ${w.commit || 'unknown'}`;
  const some = fits.n.length ? [['Series', `${series.length}, on ${plural(new Set(series.map(s => s.target)).size, 'target')}`],
    ['Widths', span(fits.n)], ['Seeds', span(fits.seed)]] : [];
  return [...some, ['Steep', by(record)], ...(writers.length > 1 ? writers.map(w => ['rows by', `${by(w)}, ${w.kernel || 'unknown'}`]) : []),
    ['Machine', cpu && `${cpu}, ${processors} processors${blas && blas.kernel ? ', ' + blas.kernel : ''}`], ['GPU', record.gpu],
    ['Fits ran on', record.device], ['Compiler', record.compiler], ['Begun', record.start], ['Ended', record.end]].filter(f => f[1]);
}
const kindOf = status => status < 0 ? 'failed' : status > 0 ? 'ok1' : 'ok0';
/* "57 fits", "converged 53", "floor 4": counts over all commands that added to the folder. */
function countsOf({record, fits}) {
  const ended = Object.keys(statuses).sort((a, b) => (a < 0) - (b < 0) || Math.abs(a) - Math.abs(b)), counts = new Map();
  for (const s of fits.status) counts.set(s, (counts.get(s) || 0) + 1);
  if (!fits.status.length) for (const s of ended) counts.set(s, record.counts && record.counts[statuses[s][0]]);
  const total = fits.status.length || record.tasks || 0;
  return !fits.status.length && !Object.keys(record.counts || {}).length ? [] : [make('ul', {class: 'counts', 'aria-label': 'Fits by how they ended'},
    make('li', {}, make('b', {}, String(total)), total === 1 ? ' fit' : ' fits'),
    ...ended.filter(s => counts.get(s) > 0).map(s => make('li', {class: 'status ' + kindOf(s)}, statuses[s][0] + ' ', make('b', {}, String(counts.get(s))))))];
}
const list = items => make('dl', {}, ...items.map(([name, text]) => make('div', {}, make('dt', {}, name), make('dd', {}, text))));
function recordOf(run) {
  const {command, state, tasks} = run.record;
  return [...(command ? [make('pre', {class: 'command', tabindex: 0}, make('code', {}, command))] : []),
    ...(tasks < run.fits.n.length ? [make('p', {class: 'note'}, 'The last command of several that added to this folder; the counts are of all.')] : []),
    ...(state && state !== 'done' ? [make('p', {class: 'warn'}, `The record says that this run is ${state}: the same command goes on from there.`)] : []),
    list(facts(run)), ...countsOf(run)];
}
function card(run, r) {
  const kind = (run.record && run.record.kind) || (run.series.length ? 'fits' : 'pictures');
  const links = run.files.map(([name, url]) => make('li', {}, make('a', {href: url}, name)));
  return make('details', {class: 'card', id: 'run-' + r, ...(runs.length <= 3 ? {open: ''} : {})},
    make('summary', {}, make('h3', {}, run.name), make('span', {}, kind)), ...(run.record ? recordOf(run) : []),
    make('ul', {class: 'links', 'aria-label': 'Files'}, ...links));
}

const shapes = ['M-3,0a3,3 0 1 0 6,0a3,3 0 1 0 -6,0', 'M-3,-3h6v6h-6z', 'M0,-4L-4,2h8z', 'M0,-4.2L4.2,0L0,4.2L-4.2,0z', 'M0,4L-4,-2h8z',
  'M0,4L3.8,1.2L2.3,-3.2h-4.6L-3.8,1.2z']; /* as in plots/slopes.gp */
/* A sample of the label's line with its mark. */
function chip([, colour, dash, mark]) {
  return draw('svg', {class: `chip d${dash}`, style: `color: var(--c${colour})`, viewBox: '-14 -6 28 12', 'aria-hidden': true},
    draw('path', {d: 'M-14,0h28'}), draw('path', {d: shapes[mark - 1]}));
}
/* The verdict's cell. Widths from the first that overfits on were left out: there test and training error part. */
function verdict({slope: s, n, overfit}) {
  const g = text => say(+text), from = n.find((_, i) => overfit[i] > 0);
  const rest = [isFinite(s.by) ? ' ' + fixed(s.by, 3) : '', s.remark ? ': ' + s.remark : '',
    s.apart >= 1 ? `; ${s.apart} apart from the others, left out` : '', from ? `; overfits from n = ${from} on, left out` : '',
    isFinite(s.offset) ? `; E = ${g(s.offset)} [${g(s.offset_low)}, ${g(s.offset_high)}]` : ''];
  return make('td', {class: 'verdict ' + s.kind}, make('span', {'aria-hidden': true}, s.mark), ' ' + s.words + rest.join(''));
}
function slopeRow(run, series) {
  const {title, s: label, slope: s} = series;
  const ends = isFinite(s.low) ? ['[', exact(s.low, fixed(s.low, 3)), ', ', exact(s.high, fixed(s.high, 3)), ']'] : ['–'];
  return make('tr', {}, ...(many ? [words(run.name)] : []), words(title), make('th', {scope: 'row'}, chip(labels[label]), labels[label][0]),
    number(s.slope, 3), make('td', {class: 'n interval'}, ...ends), number(s.theory, Number.isInteger(+s.theory) ? 0 : 3), verdict(series),
    number(s.wide, 3), number(s.pair, 3), number(s.all, 3), make('td', {}, s.method), number(s.points, 0), number(s.first, 0), number(s.last, 0));
}
function showSlopes() {
  const rows = runs.flatMap(run => run.series.some(s => s.n.length > 1) ? run.series.map(s => slopeRow(run, s)) : []); // no contest
  const titles = ['Target', 'Series', 'Slope', '95 % interval', 'Theory', 'Verdict', 'Against n', 'Last pair', 'All points', 'Method', 'Points',
    'From P', 'To P'];
  if (!rows.length) return;
  section('slopes', 'Slopes', ...sortable(many ? ['Run', ...titles] : titles, rows, {id: 'slopes-table', 'aria-label': 'Table of slopes'},
    ['The order of the error in parameters P as they grow, error ∼ P', make('sup', {}, 'slope'), ', with its 95 % interval, beside what theory says.']));
}

/* Of a contest: the units by their error, each at its one size; dots lie on a logarithmic axis. */
const isContest = run => run.series.length > 1 && run.series.every(s => s.n.length < 2);
function ranking(run, target) {
  const data = run.series.filter(s => s.target === target && s.error[0] > 0).sort((a, b) => a.error[0] - b.error[0]);
  const log = data.map(s => Math.log10(s.error[0])), low = Math.floor(Math.min(...log)), high = Math.max(Math.ceil(Math.max(...log)), low + 1);
  const rows = data.map((s, i) => make('tr', {}, number(i + 1, 0), make('th', {scope: 'row'}, labels[s.s][0]), number(s.n[0], 0), number(s.P[0], 0),
    make('td', {class: 'n'}, exact(s.error[0], power(s.error[0], 2))), make('td', {class: 'place'}, make('i', {style: `margin-left: ${97 * (log[i] - low) / (high - low)}%`}))));
  const caption = [`${many ? run.name + ': ' : ''}${data.length ? data[0].title : target}: the error of each unit; dots, from 1e${low} to 1e${high}, logarithmic.`];
  return make('div', {class: 'separation'}, ...sortable(['Place', 'Unit', 'n', 'P', 'Error', ''], rows, {'aria-label': 'Ranking'}, caption));
}
function showRankings() {
  const tables = runs.filter(isContest).flatMap(run => [...new Set(run.series.map(s => s.target))].map(target => ranking(run, target)));
  if (tables.length) section('ranking', 'Ranking', ...tables);
}

/* gnuplot's picture as elements of the page; only elements that draw, with plain attributes, are kept. gnuplot numbers
 * the curves of each plot command: gnuplot_plot_7a is the seventh curve of the first command. plots/slopes.gp draws
 * layer after layer, each with all series, and draws a key below the panel by a command of its own. A curve gets
 * class="s LAYER" and data-s="LABEL". */
const layers = ['floor', 'band', 'below', 'line', 'theory', 'theory', 'points', 'hollow', 'key'];
function inline(text, data, attributes) {
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
  return fill(svg, {role: 'img', ...attributes});
}
/* [series, index, x, y] of each mark. In each series the marks of widths that overfit are in a group of their own. */
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
/* Slopes from each width to the nearest one smaller by a factor >= 1.3, with both errors >= 30 times their floors. */
function localSlopes(s, size) {
  const sound = i => !(s.overfit[i] > 0) && !(30 * s.floor[i] > s.error[i]);
  return s.n.map((n, i) => {
    const j = s.n.findLastIndex((m, k) => k < i && n >= 1.3 * m);
    return j >= 0 && sound(i) && sound(j) ? Math.log(s.error[i] / s.error[j]) / Math.log(size[i] / size[j]) : NaN;
  });
}
/* The series that the figure of a target shows: those with an error. */
function seriesOf(run, target) {
  return run.series.filter(s => s.target === target && s.error.length).map(s => ({...s, label: labels[s.s][0], localn: localSlopes(s, s.n),
    localP: localSlopes(s, s.P), theory: isFinite(s.slope.theory) ? s.theory : s.theory.map(() => NaN)}));
}
const missing = ({missing}) => missing ? [make('p', {class: 'warn'}, `This picture is missing: ${missing}.`)] : [];
/* A frame with a title, a button that makes it large, and its children. */
function frame(name, heading, ...children) {
  const figure = make('figure', {class: name}), label = 'Large or small';
  const zoom = button('⤢', () => figure.classList.toggle('big'), {'aria-label': label, title: label});
  const caption = make('figcaption', {}, ...heading, make('span', {class: 'zoom'}, zoom));
  return fill(figure, {}, ...(name === 'picture' ? [...children, caption] : [caption, ...children]));
}
/* A picture, given as the text of an SVG or as a URL, in an img element, which runs no script. */
const image = (text, alt) => make('img', {class: 'whole', alt, src: /^data:image\/png/.test(text) ? text : 'data:image/svg+xml,' + encodeURIComponent(text)});

class Plot {
  constructor(run, {target, title, ...drawn}) {
    Object.assign(this, {run, drawn, target, title, at: null});
    const none = run.series.some(s => s.target === target && s.error.length) ? [] : [make('p', {class: 'note'}, 'There is no error to draw.')];
    this.figure = frame('plot', [make('h3', {}, title), ...(many ? [make('span', {class: 'run'}, run.name)] : [])], ...none, ...missing(drawn));
    fill(this.figure, {tabindex: 0, keydown: event => this.walk(event)});
    if (drawn.P) this.figure.style.minHeight = '30rem'; /* until it is built */
  }
  /* Builds the figure when it comes near the window. */
  build() {
    if (this.panels) return;
    this.data = seriesOf(this.run, this.target);
    this.panels = ['P', 'n'].filter(against => this.drawn[against]).map(against => {
      const svg = inline(this.drawn[against], this.data, {class: 'panel against-' + against,
        'aria-label': `Error against ${against === 'P' ? 'parameters' : 'width'} on ${this.title}, logarithmic axes; the slopes stand in the table`});
      const panel = {svg, marks: findMarks(svg, this.data)};
      fill(svg, {pointermove: event => this.hover(panel, event), pointerleave: () => { this.ring(panel, null); hideTip(); }});
      return panel;
    });
    this.figure.style.minHeight = '';
    if (!this.panels.length) return;
    const toggle = ({target}) => { if (target.open && !$('table', target)) target.append(this.values()); };
    this.figure.append(...this.panels.map(panel => panel.svg),
      make('details', {class: 'values', toggle}, make('summary', {}, 'Values as a table')));
  }
  values() {
    const columns = [['label', 'Series'], ['n', 'n'], ['P', 'P'], ['error', 'error'], ['low', 'quartile'], ['high', 'quartile'],
      ['seeds', 'seeds'], ['below', 'no network below'], ['theory', 'theory'], ['localn', 'local slope, n'], ['localP', 'local slope, P']]
      .filter(([name]) => name === 'label' || this.data.some(s => /low|high|seeds/.test(name) ? s.seeds.some(n => n > 1) : s[name].some(isFinite)));
    const cell = (s, i, name) => name === 'label' ? make('th', {scope: 'row'}, s.label)
      : make('td', {class: 'n'}, say(s[name][i], 'nP'.includes(name) ? 15 : 5));
    const rows = this.data.flatMap(s => s.error.map((_, i) => make('tr', {}, ...columns.map(c => cell(s, i, c[0])))));
    return tableOf(columns.map(([name, title]) => [title, name !== 'label']), make('tbody', {}, ...rows), {'aria-label': 'Table of values'});
  }
  ring({svg}, mark) {
    $('.ring', svg)?.remove();
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
    if (s.theory[i] > 0) lines.push(['theory', say(s.theory[i])]);
    if (s.below[i] > 0) lines.push(['none gets below', say(s.below[i])]);
    if (isFinite(local[i])) lines.push(['local slope', say(local[i])]);
    if (s.overfit[i]) lines.push(['', 'overfits']);
    return lines;
  }
  tell(panel, mark, x, y) {
    const lines = this.lines(panel, mark);
    tip.replaceChildren(make('b', {}, mark[0].label), list(lines));
    tip.style.display = 'block';
    const box = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, x + 16 + box.width > innerWidth ? x - box.width - 16 : x + 16) + 'px';
    tip.style.top = Math.max(4, Math.min(innerHeight - box.height - 4, y + 14)) + 'px';
    return mark[0].label + ': ' + lines.map(l => l.join(' ')).join(', ');
  }
  walk(event) {
    const step = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1]}[event.key];
    if (!this.panels || event.target !== this.figure || event.ctrlKey || event.metaKey || event.altKey || !step) return;
    event.preventDefault();
    const shown = this.data.filter(s => !hidden.has(s.s)), panel = this.panels.find(p => p.svg.clientWidth), [along, between] = step;
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

const hidden = new Set(), rules = document.head.appendChild(make('style'));
let lit = null;
function showSeries() {
  for (const toggle of $$('.toggle')) toggle.setAttribute('aria-pressed', String(!hidden.has(+toggle.dataset.s)));
  rules.textContent = Array.from(hidden, s => `.panel .s[data-s="${s}"]:not(.key){display:none}.key[data-s="${s}"]{opacity:.3}`).join('') +
    (lit === null ? '' : `.panel .s:not([data-s="${lit}"]):not(.key){opacity:.13}`);
}
/* Hides each label s where hide(s) is true, and shows the others. */
function hideSeries(hide) {
  labels.forEach((_, s) => hide(s) ? hidden.add(s) : hidden.delete(s));
  showSeries();
}
/* Calls act(s, event) on events at a series' button or in a key. */
function onSeries(type, act) {
  document.addEventListener(type, event => {
    const toggle = event.target.closest?.('.toggle, .key');
    if (toggle) act(+toggle.dataset.s, event);
  });
}
onSeries('click', (s, event) => hideSeries(other => event.shiftKey ? other !== s : (other === s) !== hidden.has(other)));
for (const [type, on] of [['pointerover', true], ['focusin', true], ['pointerout', false], ['focusout', false]])
  onSeries(type, s => { lit = on && !hidden.has(s) ? s : null; showSeries(); });

/* The tools above the figures. A press on a series hides it; with shift it is seen alone. */
function toolsOf(plots) {
  const choice = (type, name, value, text, act) => {
    const input = make('input', {type, name, value, checked: '', change: () => act(input)});
    input.checked = type === 'checkbox' || value === 'P';
    return make('label', {}, input, ' ' + text);
  };
  const field = (name, legend, ...children) => make('fieldset', {class: name}, make('legend', {}, legend), ...children);
  const against = input => { body.classList.toggle('by-n', input.value === 'n'); body.classList.toggle('by-P', input.value === 'P'); hideTip(); };
  const layer = input => body.classList.toggle('no-' + input.value, !input.checked);
  const toggles = labels.map((label, s) => make('button', {type: 'button', class: 'toggle', 'aria-pressed': true, 'data-s': s}, chip(label), label[0]));
  const all = button('all', () => hideSeries(() => false), {class: 'all'}), none = button('none', () => hideSeries(() => true), {class: 'none'});
  const show = has => { for (const {figure} of plots) figure.hidden = !has($('figcaption', figure).textContent); };
  return make('div', {class: 'tools', role: 'toolbar', 'aria-label': 'Figures'},
    ...(plots.length > 6 ? [searchField('target, run', 'Filter the figures', show)] : []),
    field('against', 'Against', choice('radio', 'against', 'P', 'parameters P', against), choice('radio', 'against', 'n', 'width n', against)),
    field('layers', 'Show', choice('checkbox', 'layer', 'theory', 'theory', layer), choice('checkbox', 'layer', 'below', 'lower bounds', layer)),
    field('series', 'Architectures', ...toggles, all, none));
}
/* Runs on one target stand side by side. */
function showFigures() {
  const targets = [...new Set(runs.flatMap(run => run.figures.map(figure => figure.target)))];
  const plots = targets.flatMap(target => runs.flatMap(run => run.figures.filter(f => f.target === target).map(f => new Plot(run, f))));
  if (!plots.length) return;
  section('figures', 'Figures', toolsOf(plots), make('p', {class: 'note help'},
    'Press a series to hide it, with shift to see it alone. In a figure arrows walk from point to point.'),
    make('div', {class: 'plots'}, ...plots.map(plot => plot.figure)));
  const near = new IntersectionObserver(entries => {
    for (const {isIntersecting, target} of entries)
      if (isIntersecting) { near.unobserve(target); plots.find(plot => plot.figure === target).build(); }
  }, {rootMargin: '600px'});
  for (const plot of plots) near.observe(plot.figure);
  window.addEventListener('beforeprint', () => { for (const plot of plots) plot.build(); });
}

function single(run) {
  const {architecture = '', width = 0, target = '', result = {}, ...drawn} = run.single, title = `${architecture}, width ${width}`;
  const error = (name, value) => isFinite(value) && value !== null ? [name, make('data', {value}, power(value, 3))] : [];
  const train = error('training RMSE ', result.rmse_train);
  return frame('plot single', [make('h3', {}, title), make('span', {class: 'run'}, target + (many ? ' · ' + run.name : ''))],
    make('p', {class: 'note'}, ...train, ...error(', test RMSE ', result.rmse_test),
      `${train.length ? '; ' : ''}${result.status || ''}: ${result.reason || ''}`),
    ...missing(drawn), ...(drawn.picture ? [image(drawn.picture, title)] : []));
}
const picture = (run, [name, text]) => frame('picture', [`${run.name}: ${name}`], image(text, `Picture ${name} of ${run.name}`));
function separation(run) {
  const order = [0, 1, 4, 5, 6, 2, 7, 8, 9, 10, 3]; /* columns, as places in a row of the data: texts, then numbers */
  const titles = ['Witness', 'Class', 'Width', 'W', 'Bound', 'Source', 'Certified low', 'Certified high', 'sup |∇e|', 'sup |e|', 'Status'];
  const cell = (row, c) => c < 4 ? words(row[c]) : c === 4 ? number(row[c], 0)
    : make('td', {class: 'n'}, exact(row[c], isFinite(row[c]) ? power(row[c], 4) : '–'));
  const rows = run.separation.map(row => make('tr', {}, ...order.map(c => cell(row, c))));
  const own = run.pictures.find(p => /^separation\.(svg|png)$/.test(p[0]));
  return make('div', {class: 'separation'}, ...sortable(titles, rows, {'aria-label': 'Table of a separation'},
    [`${run.name}: the least error W found in W`, make('sup', {}, '1,∞'), ', beside the bound that no network of the class beats.']),
    ...(own ? [picture(run, own)] : []));
}
function showOthers() {
  const singles = runs.filter(run => run.single), separations = runs.filter(run => run.separation);
  const others = runs.flatMap(run => run.pictures.filter(p => !(run.separation && p[0].startsWith('separation.'))).map(p => picture(run, p)));
  if (singles.length) section('singles', 'Single fits', make('p', {class: 'note'}, 'The target is wide and grey; the residual, network less target, ' +
    'stands below it. Vertical lines are where gates open; beside them is what each unit adds.'), make('div', {class: 'plots'}, ...singles.map(single)));
  if (separations.length) section('separations', 'Separations', ...separations.map(separation));
  if (others.length) section('pictures', 'Pictures', make('div', {class: 'pictures'}, ...others));
}

function showFits() {
  const data = {}, names = runs.flatMap(run => run.fits.names.map(([target, arch, activation, ...rest]) =>
    [run.name, target, arch + (activation && activation !== 'relu' ? ` (${activation})` : ''), ...rest]));
  for (const column of ['n', 'P', 'seed', 'train', 'test', 'max', 'iterations', 'seconds', 'samples', 'status'])
    data[column] = runs.flatMap(run => run.fits[column]);
  let before = 0, has = () => true, size = 50, page;
  const series = runs.flatMap(({fits}) => fits.s.map(s => before + +s).concat((before += fits.names.length, [])));
  let order = Uint32Array.from(series.keys()), shown;
  if (!order.length) return;
  const statusOf = status => statuses[status] || ['unknown', ''];
  const name = (title, index) => ({title, text: i => names[series[i]][index], key: i => names[series[i]][index]});
  const value = (title, column, digits) => ({title, right: true, text: i => say(+data[column][i], digits), key: i => +data[column][i]});
  const columns = [...(new Set(names.map(s => s[0])).size > 1 ? [name('Run', 0)] : []), name('Target', 1), name('Architecture', 2),
    value('n', 'n', 12), value('P', 'P', 12), ...(new Set(data.samples).size > 1 ? [value('Points', 'samples', 12)] : []),
    {...value('Seed', 'seed'), text: i => data.seed[i]},
    {title: 'Status', text: i => statusOf(data.status[i])[0], key: i => +data.status[i]},
    value('Train RMSE', 'train'), value('Test RMSE', 'test'), value('Max error', 'max'),
    value('Steps', 'iterations', 12), value('Seconds', 'seconds', 2), name('Solver', 3), name('Start', 4)];
  const cell = ({title, right, text}, i) => {
    const state = data.status[i], reason = state === '0' ? [] : [make('span', {class: 'why'}, statusOf(state)[1])];
    return title === 'Status' ? make('td', {class: kindOf(state)}, text(i), ...reason) : make('td', right ? {class: 'n'} : {}, text(i));
  };
  const turn = to => {
    const from = to * size, end = Math.min(shown.length, from + size);
    page = to;
    tbody.replaceChildren(...Array.from(shown.subarray(from, end), i => make('tr', {}, ...columns.map(c => cell(c, i)))));
    where.textContent = shown.length ? `${from + 1}–${end} of ${shown.length}` : 'none';
    back.disabled = page === 0;
    on.disabled = end === shown.length;
  };
  const filter = () => {
    const wanted = names.map(s => has(s.join(' '))), status = pick.value;
    shown = order.filter(i => wanted[series[i]] && (status === '' || data.status[i] === status));
    turn(0);
  };
  const save = () => {
    const quote = text => /[",;\t\n\r]|^[#= ]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
    const plain = (c, i) => c.right ? c.text(i).replace('−', '-').replace('–', 'nan') : c.text(i);
    const lines = [columns.map(c => quote(c.title)), ...Array.from(shown, i => columns.map(c => quote(plain(c, i))))];
    const file = new Blob([lines.map(l => l.join(',')).join('\n') + '\n'], {type: 'text/csv'});
    const link = make('a', {download: 'fits.csv', href: URL.createObjectURL(file)});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  const select = (label, options, change) => make('select', {'aria-label': label, change},
    ...options.map(([value, text]) => make('option', {value}, text)));
  const found = Array.from(new Set(data.status)).sort((a, b) => a - b);
  const search = searchField('target, architecture, solver …', 'Filter the fits', words => { has = words; filter(); });
  const pick = select('Status', [['', 'any status'], ...found.map(s => [s, statusOf(s)[0]])], filter);
  const sizes = select('Rows on a page', [50, 200, 1000].map(n => [n, n + ' rows']), () => { size = +sizes.value; turn(0); });
  const back = button('‹', () => turn(page - 1), {'aria-label': 'Page before'}), on = button('›', () => turn(page + 1), {'aria-label': 'Next page'});
  const where = make('span', {role: 'status'}), tbody = make('tbody');
  const table = tableOf(columns.map(c => [c.title, c.right]), tbody, {'aria-label': 'Table of fits'},
    ['Every fit, errors to four digits; a filter takes words that must all occur in target, architecture, solver, start or run.'],
    (column, up) => { order = ordered(order.length, columns[column].key, up); filter(); });
  section('fits', 'All fits', make('div', {id: 'fits-table'}, make('div', {class: 'bar'}, search, pick, make('span', {class: 'grow'}),
    where, back, on, sizes, button('Save as CSV', save)), table));
  filter();
}

const fits = runs.reduce((sum, run) => sum + run.fits.n.length, 0), dark = matchMedia('(prefers-color-scheme: dark)');
const setTheme = isDark => { root.dataset.theme = isDark ? 'dark' : 'light'; };
document.title = title;
body.append(make('a', {class: 'skip', href: '#main'}, 'To the contents'),
  make('header', {}, make('div', {}, make('h1', {}, title), make('p', {}, plural(runs.length, 'run') + (fits ? ', ' + plural(fits, 'fit') : ''))), nav), main,
  make('footer', {}, make('p', {}, 'Made by ', make('code', {}, 'steep report'), '. All digits stand in the CSV files.')), tip, said);
nameRuns();
section('runs', 'What was run', make('div', {class: 'cards' + (runs.length > 3 ? ' many' : '')}, ...runs.map(card)));
showSlopes();
showRankings();
showFigures();
showOthers();
showFits();
nav.append(button('◐', () => setTheme(root.dataset.theme !== 'dark'), {id: 'theme', 'aria-label': 'Light or dark'}));
setTheme(dark.matches);
dark.addEventListener('change', () => setTheme(dark.matches));
window.addEventListener('keydown', event => { if (event.key === 'Escape') hideTip(); });
window.addEventListener('beforeprint', () => { for (const card of $$('.card')) card.open = true; });
})();
