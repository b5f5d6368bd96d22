import CaptureProtocol
import Foundation
import Testing

@testable import Models

@Suite("Public part of a detection report")
struct PublicDetectionTests {
    private func form(_ text: String) throws -> String? {
        try DetectionReport(parsing: Array(text.utf8)).publicForm().map { String(decoding: try WireJSON.encode($0), as: UTF8.self) }
    }

    @Test(
        "known members with numbers, booleans and known words are, in either spelling",
        arguments: [
            #"{"score":0.25}"#, #"{"isLikelyScreen":true}"#, #"{"is_likely_screen":false}"#, #"{"verdict":"screen"}"#,
            #"{"moire":{"detected":true,"score":1}}"#, #"{"texture":{"confidence":0.5,"material":"paper"},"version":3}"#,
            #"{"duration_ms":412,"overall":{"level":"high","overallConfidence":0.875}}"#,
        ])
    func known(text: String) throws { #expect(try form(text) == text) }

    @Test("a score has three decimals: too few for a coordinate")
    func rounded() throws { #expect(try form(#"{"score":0.37774929,"coverage":0.0004}"#) == #"{"coverage":0,"score":0.378}"#) }

    @Test(
        "places, ids and free text are not, whatever they are called and wherever they stand",
        arguments: [
            #"{"loc":[37.774929,-122.419418]}"#, #"{"coords":{"a":37.774929}}"#, #"{"point":"POINT(-122.419418 37.774929)"}"#,
            #"{"note":"at home, 5 Main Street"}"#, #"{"idForThisPhone":"6ba7b810-9dad-11d1-80b4-00c04fd430c8"}"#,
            #"{"model":"screen-check-7"}"#, #"{"classes":["door"]}"#, #"{"moire":{"note":"x","point":[1,2],"score":"0.5"}}"#,
            #"{"moire":[0.5]}"#, #"{"moire":{"moire":{"score":0.5}}}"#, #"{"score":37.774929}"#, #"{"score":-0.5}"#, #"{"score":[0.5]}"#,
            #"{"score":true}"#, #"{"detected":1}"#, #"{"verdict":"lyon"}"#, #"{"verdict":"6ba7b8109dad11d180b400c04fd430c8"}"#,
            #"{"version":1.5}"#, #"{"version":1000}"#, #"{"duration_ms":1e20}"#, #"{"status":null}"#, #"{"Score":0.5}"#, #"{"SCORE":0.5}"#,
            #"{"score ":0.5}"#, #"{"37.774929":{"score":0.5}}"#, "{}",
        ])
    func kept(text: String) throws { #expect(try form(text) == nil) }

    @Test("fields that are not public are shown to the owner only")
    func mixed() throws {
        let text = #"{"latitude":1.5,"moire":{"device_id":"d","score":0.5},"verdict":"real","where":{"score":0.5}}"#
        #expect(try form(text) == #"{"moire":{"score":0.5},"verdict":"real"}"#)
        #expect(try WireJSON.encode(try DetectionReport(parsing: Array(text.utf8))) == Array(text.utf8))
    }

    @Test("no planted value of ten thousand generated reports becomes public")
    func planted() throws {
        var random = SplitMix(state: 20_261_122)
        for round in 0..<10_000 {
            let report = Self.object(&random, depth: 0)
            let bytes = Array(try JSONSerialization.data(withJSONObject: report))
            guard let shown = try DetectionReport(parsing: bytes).publicForm() else { continue }
            let json = try WireJSON.encode(shown)
            let text = String(decoding: json, as: UTF8.self)
            for secret in ["37.77", "122.4", "UNTOLD", "6ba7b8", "POINT", "["] {
                #expect(!text.contains(secret), "round \(round): \(text)")
            }
            // The public form of a public form is the same.
            #expect(try DetectionReport(parsing: json).publicForm() == shown)
        }
    }

    private static let names = [
        "score", "verdict", "moire", "texture", "detected", "version", "status", "screen_type", "overall", "duration_ms", "confidence",
        "loc",
        "coords", "point", "note", "lat", "idForThisPhone", "device", "wkt", "extra", "isReal", "UNTOLD",
    ]

    private static func object(_ random: inout SplitMix, depth: Int) -> [String: Any] {
        var members: [String: Any] = [:]
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            members[names.randomElement(using: &random) ?? "x"] = value(&random, depth: depth + 1)
        }
        return members
    }

    private static func value(_ random: inout SplitMix, depth: Int) -> Any {
        switch Int.random(in: 0..<(depth < 5 ? 9 : 7), using: &random) {
        case 0: 37.774929
        case 1: -122.419418
        case 2: "UNTOLD"
        case 3: "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
        case 4: "POINT(-122.419418 37.774929)"
        case 5: Bool.random(using: &random)
        case 6: Double.random(in: 0...1, using: &random)
        case 7: object(&random, depth: depth)
        default: [value(&random, depth: depth + 1), value(&random, depth: depth + 1)]
        }
    }

    /// Sebastiano Vigna's generator, so that the reports are the same in every run.
    private struct SplitMix: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
            return mixed ^ (mixed >> 31)
        }
    }
}
