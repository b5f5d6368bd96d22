import CaptureProtocol
import Foundation
import Models
import TestSupport
import Testing

@testable import Site

@Suite("Records in the public log")
struct EntryTests {
    private static let entry = RecordLog.Entry(origin: "rial.example/log/2026", index: 300, treeSize: 1500)
    private static let witness = LogFacts.Witness(name: "witness.example/<1>", at: Samples.captured)

    @Test("a witnessed record says where it stands, who saw it and when, and offers the evidence file", arguments: Language.allCases)
    func witnessed(language: Language) throws {
        let html = try html(
            RecordLog(
                state: .witnessed, entry: Self.entry, witnessedAt: Samples.received, witnesses: [Self.witness], hasBundle: true,
                isRevoked: false), language)
        #expect(html.contains("<bdi>rial.example/log/2026</bdi>") && html.contains("<bdi>witness.example/&lt;1&gt;</bdi>"))
        #expect(html.contains(language == .english ? "300 of 1,500" : "300 de 1500"))
        #expect(html.contains("href=\"/api/v1/captures/\(Samples.id)/bundle\" download"))
        #expect(html.contains(language == .english ? "In the public log, and witnessed by" : "En el registro público, y con testigos"))
        #expect(html.contains("href=\"/bundle\"") && !html.contains("was taken back"))
    }

    @Test(
        "until then it is being entered, in as many rows, and there is nothing to fetch",
        arguments: [RecordLog.State.pending, .unavailable])
    func pending(state: RecordLog.State) throws {
        let html = try html(
            RecordLog(state: state, entry: nil, witnessedAt: nil, witnesses: [], hasBundle: false, isRevoked: false), .english)
        #expect(html.contains(state == .pending ? "is being entered in the public log" : "it accepts no entries at the moment"))
        #expect(!html.contains("/bundle\" download"))
        let section = try #require(html.components(separatedBy: "id=\"log\"").last?.components(separatedBy: "</section>").first)
        #expect(section.components(separatedBy: "<dt>").count == 4)
    }

    @Test("where the policy asks for no witness, none is waited for, and those that saw it are not denied", arguments: Language.allCases)
    func alone(language: Language) throws {
        let strings = resources.strings(language)
        for (witnesses, key) in [([], "entry.alone"), ([Self.witness], "entry.alone.seen")] as [([LogFacts.Witness], String)] {
            let html = try html(
                RecordLog(
                    state: .alone, entry: Self.entry, witnessedAt: nil, witnesses: witnesses, hasBundle: true, isRevoked: false), language)
            #expect(html.contains("<span>\(strings(key))</span>") && !html.contains(strings("entry.logged")))
        }
        let waiting = try html(
            RecordLog(state: .logged, entry: Self.entry, witnessedAt: nil, witnesses: [], hasBundle: false, isRevoked: false), language)
        #expect(waiting.contains("<span>\(strings("entry.logged"))</span>"))
    }

    @Test("a verdict that was taken back is nowhere shown as one that counts", arguments: Language.allCases)
    func revoked(language: Language) throws {
        let html = try html(
            RecordLog(
                state: .witnessed, entry: Self.entry, witnessedAt: Samples.received, witnesses: [], hasBundle: true, isRevoked: true),
            language)
        let isEnglish = language == .english
        #expect(html.contains(isEnglish ? "The last entry takes the verdict back." : "La última entrada retira el veredicto."))
        #expect(html.contains(isEnglish ? "<h1 tabindex=\"-1\">The verdict on this photo was taken back." : "se retiró.</h1>"))
        #expect(html.contains(isEnglish ? "It no longer counts." : "Ya no cuenta."))
        let title = isEnglish ? "Verdict TAKEN BACK" : "Veredicto RETIRADO"
        #expect(html.contains("<title>\(title)") && html.contains("property=\"og:title\" content=\"\(title)"))
        #expect(html.contains("<span class=\"badge revoked\">"))
        for level in ["HIGH", "ALTA", "badge high", "og.jpg", "signed this photo", "firmó esta foto"] { #expect(!html.contains(level)) }
        #expect(html.contains("property=\"og:image\" content=\"https://rial.example/assets/img/share.png\""))
        #expect(html.contains("\"og:image:width\" content=\"1200\"") && html.contains("\"og:image:height\" content=\"630\""))
    }

    @Test("a record that was assessed again shows what was said before, by what and when", arguments: Language.allCases)
    func again(language: Language) throws {
        let earlier = EarlierVerdict(at: .exact(Samples.received), confidence: .low, methods: ["depth": "relief-1", "confidence": "1"])
        let html = try html(
            RecordLog(
                state: .witnessed, entry: Self.entry, witnessedAt: Samples.received, witnesses: [], hasBundle: true, isRevoked: false,
                earlier: [earlier]), language)
        let badge = language == .english ? "LOW confidence" : "Confianza BAJA"
        #expect(html.contains("<li>\(badge) <span class=\"q\"><bdi>1, relief-1</bdi> · "))
        #expect(html.contains(language == .english ? "Its verdict before was: \(badge)." : "Su veredicto anterior fue: \(badge)."))
        #expect(
            try !self.html(
                RecordLog(
                    state: .pending, entry: nil, witnessedAt: nil, witnesses: [], hasBundle: false, isRevoked: false), language
            )
            .contains(language == .english ? "Earlier verdicts" : "Veredictos anteriores"))
    }

    @Test("without a log nothing is said of one")
    func none() throws { #expect(try !Samples.html(Samples.record(named: "processing")).contains("id=\"log\"")) }

    private func html(_ log: RecordLog, _ language: Language) throws -> String {
        var record = Samples.record(named: "high")
        record.log = log
        return try Samples.html(record, language)
    }
}
