//! The plainest claims in other languages: whole phrases, and the words that take them back.

use std::collections::BTreeSet;

use super::sentence::Claimed;
use super::words::Topic;

/// A language: what is claimed in it, and what in a sentence makes it no claim.
struct Language {
    tests: &'static str,
    done: &'static str,
    /// Words that stand alone.
    reserves: &'static str,
    /// Parts of words, for languages that put no space between them.
    parts: &'static str,
}

const LANGUAGES: [Language; 5] = [
    Language {
        tests: "alle tests bestehen; alle tests bestanden; alle tests laufen durch; alle tests sind grün; \
            alle tests sind erfolgreich; alle tests laufen erfolgreich; tests sind grün",
        done: "aufgabe ist erledigt; aufgabe ist abgeschlossen; implementierung ist abgeschlossen; \
            alles erledigt; alles fertig",
        reserves: "nicht kein keine keiner noch wenn falls sobald sollte sollten müssen muss könnte könnten würde \
            würden werden wird fehlgeschlagen schlägt schlagen fehlschlagen bis damit bevor außer dass ob \
            nur leider allerdings jedoch aber offen rot ohne übersprungen vorher zuvor",
        parts: "",
    },
    Language {
        tests: "tous les tests passent; les tests passent tous; tous les tests sont verts; \
            tous les tests sont passés; tous les tests réussissent",
        done: "la tâche est terminée; tout est terminé; l'implémentation est terminée",
        reserves: "ne pas si quand lorsque devrait devraient échoue échouent sauf pour afin que avant encore \
            doivent doit aucun jusqu'à sans mais cependant toutefois rouge fois",
        parts: "n'",
    },
    Language {
        tests: "todas las pruebas pasan; todos los tests pasan; todas las pruebas pasaron; \
            todos los tests pasaron; las pruebas pasan todas; todas las pruebas están en verde",
        done: "la tarea está completa; la tarea está terminada; todo está listo; \
            la implementación está completa",
        reserves: "no si cuando debería deberían falla fallan salvo excepto para que antes aún todavía deben debe \
            vez hasta sin pero embargo aunque rojo",
        parts: "",
    },
    Language {
        tests: "すべてのテストが成功; 全てのテストが成功; すべてのテストがパス; 全てのテストがパス; 全テストがパス; 全テストが成功; すべてのテストが通; 全てのテストが通; テストはすべて成功; \
            テストはすべて通",
        done: "タスクは完了しました; 実装が完了しました; 作業が完了しました; すべて完了しました",
        reserves: "",
        parts: "ません ない なかった たら れば はず 失敗 まだ 予定 ように べき 場合 か? ですか たい 必要 なら ただし \
            しかし 未 エラー 赤 と思",
    },
    Language {
        tests: "所有测试通过; 所有测试都通过; 所有测试均通过; 所有测试均已通过; 所有测试已通过; 全部测试通过; 测试全部通过; 所有測試通過; 所有測試都通過; 測試全部通過",
        done: "任务已完成; 任务完成; 全部完成; 實作已完成; 任務已完成",
        reserves: "",
        parts: "没 未 不 如果 应该 失败 还 将 吗 尚 请 確保 确保 需要 等 除 若 應該 失敗 沒 一旦 必须 但 錯誤 \
            错误 红 跳过",
    },
];

/// Which of the languages a message has reservations in. They hold for all of it, wherever they stand.
pub(super) struct Reservations([bool; LANGUAGES.len()]);

/// Returns the reservations of a message.
pub(super) fn reservations(message: &str) -> Reservations {
    let lower = plain(message);
    let words: BTreeSet<&str> =
        lower.split(|character: char| !character.is_alphanumeric() && character != '\'').collect();
    let is_reserved = |language: &Language| {
        language.parts.split_ascii_whitespace().any(|part| lower.contains(part))
            || language.reserves.split_ascii_whitespace().any(|word| words.contains(word))
    };
    Reservations(LANGUAGES.each_ref().map(is_reserved))
}

/// Returns what a sentence of a message claims in another language than English.
pub(super) fn claims(text: &str, reservations: &Reservations) -> Vec<Claimed> {
    let lower = plain(text);
    let mut found = Vec::new();
    for (language, is_reserved) in LANGUAGES.iter().zip(reservations.0) {
        let says = |phrases: &str| phrases.split("; ").any(|phrase| lower.contains(phrase));
        if is_reserved {
            continue;
        }
        if says(language.tests) {
            found.push(Claimed::Passes { topic: Topic::Tests, part: None });
        }
        if says(language.done) {
            found.push(Claimed::Done);
        }
    }
    found
}

fn plain(text: &str) -> String {
    text.to_lowercase().replace('’', "'")
}
