"""Right numbers at the wrong things are found, and a wrong sentence is changed no more than its source demands."""

import pytest

from marwg.extractive.repairs import repaired
from marwg.writing.placing import elsewhere, exchanged

SENTENCES = (
    "Our retriever outperforms a strong BM25 system by 9% to 19% in top-20 accuracy.",
    "It is trained on 58,880 questions for 40 epochs with a batch size of 128.",
    "The accuracy on TriviaQA is 79.4 and the accuracy on NaturalQuestions is 41.5.",
)
SOURCE = " ".join(SENTENCES)


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("The accuracy on TriviaQA is 41.5 and the accuracy on NaturalQuestions is 79.4.", "41.5 and 79.4"),
        ("They report that accuracy on TriviaQA is 41.5 and on NaturalQuestions is 79.4.", "41.5 and 79.4"),
        ("The accuracy on TriviaQA is 79.4 and the accuracy on NaturalQuestions is 41.5.", ""),
        ("On NaturalQuestions the accuracy is 41.5 and on TriviaQA 79.4.", ""),
        ("The retriever outperforms BM25 by 19% in accuracy.", ""),
        ("Nothing of this is said: 41.5 or 79.4.", ""),
    ],
)
def test_exchanged_numbers(claim: str, words: str) -> None:
    assert exchanged(claim, SENTENCES)[0] == words


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("The retriever outperforms a strong BM25 system by 40% in top-20 accuracy.", ""),  # nowhere: not for this rule
        ("Trained on 58,880 questions for 128 epochs with a batch size.", ""),  # in the right sentence
        ("The accuracy on TriviaQA is 128.", "128"),
        ("The accuracy on TriviaQA is 79.4.", ""),
        ("The retriever beats BM25.", ""),
    ],
)
def test_a_number_of_another_sentence(claim: str, words: str) -> None:
    found = elsewhere(claim, SENTENCES)[0]
    assert found == words or (not words and found == "40%")


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("It is trained on 48,880 questions for 40 epochs [@p].", "It is trained on 58,880 questions for 40 epochs [@p]."),
        ("It underperforms a strong BM25 system by 9% to 19% [@p].", "It outperforms a strong BM25 system by 9% to 19% [@p]."),
        ("The accuracy on TriviaQA is 41.5 and on NaturalQuestions is 79.4 [@p].", "The accuracy on TriviaQA is 79.4 and on NaturalQuestions is 41.5 [@p]."),
        ("It is trained on 58,880 questions, and was deployed in hospitals to triage patients [@p].", "It is trained on 58,880 questions [@p]."),
        ("It outperforms a strong BM25 system, but ignores patient privacy entirely [@p].", "It outperforms a strong BM25 system [@p]."),
        ("The accuracy on HotpotZQA is 79.4 [@p].", "The accuracy is 79.4 [@p]."),
    ],
)  # fmt: skip
def test_the_smallest_change_comes_first(wrong: str, right: str) -> None:
    nearest = sorted(SENTENCES, key=lambda s: -len(set(s.split()) & set(wrong.split())))
    assert next(iter(repaired(wrong, SOURCE, nearest))) == right


def test_what_is_right_is_not_touched() -> None:
    for sentence in SENTENCES:
        assert list(repaired(f"{sentence.rstrip('.')} [@p].", SOURCE, SENTENCES)) == []
