export { arrayRowSource } from './arrayRowSource';
export { cellText, shownCellText, sqlTypeName, typeFamily, typeSign } from './cellText';
export { ResultGrid } from './ResultGrid';
export { ResultPane } from './ResultPane';
export * from './types';
export { ValuePanel } from './ValuePanel';
