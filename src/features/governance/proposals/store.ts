import { callOf, effect } from '../../../recording/effect.ts';
import { FIND_REPEATED, POST_PARAMETERS, REPEATED_PARAMETERS } from '../../posts/service.ts';

export const CREATE_AMENDMENT = effect(
  'proposals.create',
  `release.create_amendment(${callOf('release.create_post', POST_PARAMETERS)}, e.post_id, e.at, e.base_version, e.base_hash,
     e.proposed_hash, e.proposed_text, e.quorum, e.closes_at, e.tally_event_id, e.event_id)`,
  {
    ...POST_PARAMETERS,
    base_version: 'integer',
    base_hash: 'text',
    proposed_hash: 'text',
    proposed_text: 'text',
    quorum: 'integer',
    closes_at: 'timestamptz',
    tally_event_id: 'text',
    event_id: 'text',
    ...REPEATED_PARAMETERS,
  },
  FIND_REPEATED,
);
