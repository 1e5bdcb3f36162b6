//! The rules, in the order in which they are tried. See `pattern.rs` for how patterns are written; a phrase that is captured last
//! is followed by what ends it.

pub const RULES: &[(&str, &str)] = &[
    // What is wrapped around a question.
    ("^ hi|hello|hey|morning ?all|there|team ?, *", "$1"),
    ("^ ?please can|could|would|will you ?please ?kindly tell|show|give ?me|us *", "$1"),
    ("^ i|we would|want|need|'d like|to|love to|know|see|have know|see|have *", "$1"),
    ("^ i|we would|want|need|'d like|to|love to|know|see|have *", "$1"),
    ("^ do you know|remember *", "$1"),
    ("^ let me|us see|know *", "$1"),
    ("^ i am|'m|was wondering|curious|interested ?in|about ?, *", "$1"),
    ("^ on average ?, how many|much @ does|do|did a|an|one|each @ bring in|out", "average $1 per $2"),
    (
        "^ on average ?, how many|much @ does|do|did a|an|one|each @ have|make|generate|file|place|take|open|write|get|produce|bring|receive|book|buy|need|cause|order|earn|submit|raise",
        "average $1 per $2",
    ),
    ("^ how many|much @ does|do|did a|an|one|each @ bring in|out on average", "average $1 per $2"),
    (
        "^ how many|much @ does|do|did a|an|one|each @ have|make|generate|file|place|take|open|write|get|produce|receive|book|buy|need|cause|order|earn|submit|raise on average",
        "average $1 per $2",
    ),
    ("not * yet", "not $1"),
    // Times.
    ("the year|calendar #year", "$1"),
    ("over|across|throughout ?the ?whole|entire ?of #year", "in $1"),
    ("#year 's", "$1"),
    ("on a|an monthly basis|level", "by month"),
    ("on a|an weekly basis|level", "by week"),
    ("on a|an quarterly basis|level", "by quarter"),
    ("on a|an yearly|annual basis|level", "by year"),
    ("on a daily basis|level", "by day"),
    ("month-wise|monthwise *", "$1 by month"),
    ("year-wise|yearwise *", "$1 by year"),
    ("month-by-month", "by month"),
    ("year-by-year", "by year"),
    ("month-to-month|month-over-month|month-on-month", "month over month"),
    ("year-over-year|year-on-year|year-to-year", "year over year"),
    ("quarter-over-quarter|quarter-on-quarter", "quarter over quarter"),
    ("in|from # or|and later|after|newer|onwards", "since $1"),
    ("# or|and later|newer|onwards", "since $1"),
    ("in|from # or|and earlier|before|older", "until $1"),
    ("at the moment|minute", "currently"),
    // Changes.
    (
        "?and|with|plus|including ?its|the|their percent|percentage|relative change ?in ?% from|to|on|over|against|versus|vs|by ?the previous|prior|preceding|last =month|quarter|year|week",
        "$1 over $1 growth",
    ),
    (
        "?and|with|plus|including ?its|the|their growth ?rate ?in ?percent|% from|to|on|over|against|versus|vs|by ?the previous|prior|preceding|last =month|quarter|year|week",
        "$1 over $1 growth",
    ),
    (
        "?and|with|plus|including ?its|the|their change|growth ?rate compared|relative to|with ?the previous|prior|preceding|last =month|quarter|year|week in percent|%",
        "$1 over $1 growth",
    ),
    (
        "?and|with|plus|including ?its|the|their change|increase from|to|on|over|against|versus|vs ?the previous|prior|preceding|last =month|quarter|year|week in percent|%",
        "$1 over $1 growth",
    ),
    (
        "?and|with|plus|including its|their change|increase from|to|on|over|against|versus|vs ?the previous|prior|preceding|last =month|quarter|year|week",
        "change to the previous $1",
    ),
    ("?what we|you turned over", "turnover"),
    // Shares.
    ("^ % of *", "what percentage of $1"),
    ("how many|much percent|% of ?all", "what percentage of"),
    ("in|for what|which %|percent|percentage|share|proportion of ?all", "what percentage of"),
    (
        "?what|which ?the ?a percentage|share|proportion|fraction|% of @ among|amongst ?all ?our|the|of @",
        "what percentage of $2 were $1",
    ),
    ("?the @ contribution|contributions of", "share of $1 of"),
    (
        "how is|are|was|were ?the|our @ distributed|spread|divided ?up across|over|among|amongst|between|by ?the|our|all @ ?, in percent|%",
        "share of $1 by $2 in percent",
    ),
    (
        "how is|are|was|were|does|do ?the|our @ distributed|distribute|spread|divided|split|break ?up|down|out across|over|among|amongst|between|by ?the|our|all @",
        "$1 by $2",
    ),
    ("distribution|breakdown|split of ?the|our @ across|over|among|amongst|between|by ?the|our|all @", "$1 by $2"),
    ("for each|every|all combination|combinations|pair|pairs of", "by"),
    ("each|every combination|pair of", "each"),
    ("how are|is|were|was ?the|our @ rated ?on ?average", "average rating by $1"),
    ("how good|high|large|big|low|strong is|are|was|were ?the|our *", "what is $1"),
    ("^ @ by|per @ , =average|mean|median|total|maximum|minimum $", "$3 $1 by $2"),
    ("^ ?please ?list|show|give ?me|us ?the|our|all ?the|our @ and|with|plus|including their|its @m", "$2 by $1"),
    ("^ ?please list|show ?me|us ?the @m of|for all|every ?our|the @", "$1 by $2"),
    ("break|split ?the|our @ down|up|out by|into|per", "$1 by"),
    ("break|split down|up|out ?the|our @ by|into|per", "$1 by"),
    (", ?with ?the @ excluded|omitted|aside $", "excluding $1"),
    ("?|.|, ?please ?also show|include|add|give|list ?me|us ?also ?the|their|its @m ?as ?well|too $", "and how much"),
    // Rankings.
    ("in terms of", "by"),
    ("with respect|regard to", "by"),
    ("measured|judged|based|according by|on|to", "by"),
    ("^ ?please rank ?all ?of ?the|our @ by *", "$2 by $1 , highest first"),
    ("^ ?please order|sort ?all ?of ?the|our @ by *", "$2 by $1"),
    (
        "@ ranked|ordered|sorted by @ ?, =highest|lowest|largest|smallest|most|least|best|worst|biggest first",
        "$2 by $1 , $3 first",
    ),
    ("@ ranked by @", "$2 by $1 , highest first"),
    (
        "which|what @ is|are|was|were rated|ranked|scored ?the highest|best ?on ?average",
        "which $1 has the highest average rating",
    ),
    (
        "which|what @ is|are|was|were rated|ranked|scored ?the lowest|worst ?on ?average",
        "which $1 has the lowest average rating",
    ),
    (
        "which|what @ gets|get|got|receives|received|scores the best|highest ?average ratings|rating",
        "which $1 has the highest average rating",
    ),
    ("^ what is ?the|our best|highest|top rated|ranked @1", "which $1 has the highest average rating"),
    ("^ what is ?the|our worst|lowest rated|ranked @1", "which $1 has the lowest average rating"),
    (
        "^ ?name|find|identify|show|give ?me|us ?the|our @1 with the =most|highest|lowest|best|worst|fewest|least|largest|smallest|biggest ~ $",
        "which $1 has the $2 $3",
    ),
    // Comparisons.
    ("with a|an number|count|total of @ ?that|which ?is|was above|over|exceeding", "with more than $1"),
    ("who|that|which exceed|exceeds|exceeded # @", "with more than $1 $2"),
    ("whose ?total number|count of @ is|was|are|were above|over #", "with more than $2 $1"),
    ("whose ?total number|count of @ is|was|are|were below|under #", "with fewer than $2 $1"),
    ("whose ?total number|count of @ exceeds|exceeded|exceed #", "with more than $2 $1"),
    ("with|have|has|had|having zero|0 @", "with no $1"),
    ("how does|do|did ?the|our * differ|compare|vary between|among ?the * and *", "$1 $2 versus $3"),
    ("difference|comparison between @ and @ in *", "$3 $1 versus $2"),
    // Levels of what is grouped by.
    ("per|by|each|every _ level", "per $1"),
];
