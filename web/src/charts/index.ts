export { chooseChart } from './chooseChart';
export { ResultChart } from './ResultChart';
export * from './types';
