// The button that reads more of a role, and what went wrong with it.

import { Button } from "../../components/button";
import { Banner } from "../../components/feedback";
import type { RoleReader } from "./use_role_reader";

interface ReadMoreProps {
  readonly reader: RoleReader;
  readonly label: string;
  readonly onPress: () => void;
}

export function ReadMore({ reader, label, onPress }: ReadMoreProps) {
  return (
    <div className="read-more">
      {reader.error && <Banner kind="error">{reader.error}</Banner>}
      <Button isSmall isPending={reader.isReading} onPress={onPress}>
        {label}
      </Button>
    </div>
  );
}
