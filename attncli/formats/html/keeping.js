// While a page becomes another one, what its reader looks at stays where it is, and what is open stays open.
"use strict";
(() => {
  const page = window.attncli, main = document.querySelector("main"), column = document.getElementById("changes");
  const PARTS = ":is(section, nav.contents)", MARKS = "h1, h2, h3, p, figure, summary, tr";
  const partsOf = (root) => [...root.querySelectorAll(`:scope > ${PARTS}`)];
  // its number may be another one then
  const titleOf = (part) => part.querySelector("h1, h2")?.textContent.replace(/^[\d–]+ · /, "") ?? part.className;

  // what is seen between two heights, with how it is found again: first what is worked at, then what is of the section that
  // is read; what is seen whole before the rest
  const seenIn = (root, low, high) => {
    const isSeen = ({ top, bottom, height }) => height && bottom > low && top < high, on = document.activeElement;
    const parts = partsOf(root).filter((part) => isSeen(part.getBoundingClientRect())).sort((one, other) => other.matches(".now") - one.matches(".now"));
    const marks = parts.flatMap((part) => [...part.querySelectorAll(MARKS)].map((mark) => [mark, part]));
    const own = parts.filter((part) => part.contains(on)).map((part) => [on, part]);
    const seen = [...own, ...marks].map(([mark, part]) => ({ mark, part, box: mark.getBoundingClientRect() }))
      .filter(({ box }) => isSeen(box));
    return [...seen.filter(({ box }) => box.top >= low), ...seen.filter(({ box }) => box.top < low)].map(({ mark, part, box: { top } }) => (
      { mark, top, title: titleOf(part), text: mark.textContent, place: [...part.querySelectorAll(mark.localName)].indexOf(mark) }));
  };
  const foundAgain = (root, { mark, title, text, place }) => {
    if (mark.isConnected) return mark;
    const part = partsOf(root).find((one) => titleOf(one) === title), alike = [...part?.querySelectorAll(mark.localName) ?? []];
    return alike.find((one) => one.textContent === text) ?? alike[place];
  };

  // what stays above: a button in the line of the contents, or the head with all settings
  const lowEnd = () => Math.max(...[...column.querySelectorAll(":scope > :is(.settings, .head)")].map((above) => above.getBoundingClientRect().bottom));
  page.keepInSight = (act) => {
    const isBench = document.body.matches(".bench"), high = innerHeight - (page.bar?.offsetHeight ?? 0);
    const kept = [[main, isBench ? 0 : lowEnd(), (top) => scrollBy({ top, behavior: page.instant })]];
    if (isBench) kept.push([column, lowEnd(), (top) => { column.scrollTop += top; }]);
    const seen = kept.map(([root, low]) => seenIn(root, low, high));
    act();
    kept.forEach(([root, , scroll], k) => {
      for (const one of seen[k]) {
        const { top, height } = foundAgain(root, one)?.getBoundingClientRect() ?? {};
        if (height) return scroll(top - one.top);
      }
    });
  };

  const folds = () => partsOf(main).flatMap((part) => [...part.querySelectorAll("details")].map((fold) => [`${titleOf(part)}: ${fold.firstElementChild.textContent}`, fold]));
  page.keepOpen = (act) => {
    const opened = new Set(folds().filter(([, fold]) => fold.open).map(([name]) => name));
    act();
    for (const [name, fold] of folds()) fold.open ||= opened.has(name);
  };
})();
