import { useSession } from './api/session';
import { Waiting } from './components/States';
import { Shell } from './shell/Shell';
import { SignIn } from './signin/SignIn';

export function App() {
  const token = useSession((state) => state.token);
  const isFollowing = useSession((state) => state.isFollowing);
  if (isFollowing) return <Waiting />;
  return token === null ? <SignIn /> : <Shell />;
}
