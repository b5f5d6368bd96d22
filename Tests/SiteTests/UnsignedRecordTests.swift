import CaptureProtocol
import Foundation
import Models
import TestSupport
import Testing

@testable import Site

@Suite("Records of which the signature does not cover everything")
struct UnsignedRecordTests {
    private static let sentence = "The signature does not cover time, place and model. They may have been added or changed later."

    private func record(_ binding: AssertionBinding, hardware: CheckStatus = .pass, reason: HardwareReason? = nil) -> PublicRecord {
        Samples.record(
            Samples.Evidence(
                hardware: hardware, hardwareReason: reason, binding: binding, location: MetadataCheck(.pass), place: "Lyon, France"),
            kind: .photo)
    }

    @Test("time, place and model are marked, in the title, above and in the rows", arguments: [AssertionBinding.photo, .photoDepth])
    func marked(binding: AssertionBinding) throws {
        let html = try Samples.html(record(binding))
        #expect(html.contains("<title>HIGH confidence · photo captured 22 November 2025 (not signed) · rial.</title>"))
        #expect(html.contains("og:title\" content=\"HIGH confidence · photo captured 22 November 2025 (not signed) · rial."))
        #expect(html.contains("<p>\(Self.sentence)</p>"))
        #expect(html.components(separatedBy: "<span class=\"q\">· not signed</span>").count == 4, "captured, place, device")
        #expect(html.contains("10:30:04 UTC</time> <span class=\"q\">· not signed</span>"))
        #expect(html.components(separatedBy: "No accepted hardware signature covers this.").count == 4, "time, model, location")
        let spanish = try Samples.html(record(binding), .spanish)
        #expect(spanish.contains("(sin firmar)") && spanish.contains("La firma no cubre la hora, el lugar ni el modelo."))
    }

    @Test("no LiDAR sensor is claimed by an unsigned model, even if the depth is signed", arguments: [AssertionBinding.photo, .photoDepth])
    func sensor(binding: AssertionBinding) throws {
        let html = try Samples.html(record(binding))
        #expect(html.contains("A genuine iPhone signed this photo, and depth data sent with it shows a three-dimensional scene."))
        #expect(html.contains("Depth data that was sent with the photo. Nothing shows which sensor measured it."))
        #expect(!html.contains("its LiDAR sensor measured") && !html.contains("Measured by the phone’s LiDAR sensor"))
    }

    @Test(
        "they say when the server received them, not how long after a time that nobody signed",
        arguments: [nil, TimestampReason.uploadedVeryLate])
    func received(late: TimestampReason?) throws {
        let time = late.map { MetadataCheck(.unavailable, reason: $0) } ?? MetadataCheck(.pass)
        let signatures: [(CheckStatus, HardwareReason?)] = [(.pass, nil), (.unavailable, .appNotAccepted)]
        for (hardware, reason) in signatures {
            let evidence = Samples.Evidence(hardware: hardware, hardwareReason: reason, binding: .photo, time: time)
            let html = try Samples.html(
                Samples.record(evidence, kind: .photo, receivedAt: Samples.captured.addingTimeInterval(2 * 365 * 86400)))
            #expect(html.contains("<dt>Received</dt><dd>22 November 2027, 10:30:04 UTC</dd>"))
            #expect(!html.contains("later</dd>") && !html.contains("kept on the phone"))
        }
    }

    @Test("where one signature covers all, nothing is marked")
    func covered() throws {
        let html = try Samples.html(record(.photoDepthMetadata))
        #expect(
            !html.contains("not signed") && !html.contains(Self.sentence) && !html.contains("No accepted hardware signature covers this."))
    }

    @Test("without any accepted signature the facts are marked, and the sentence above says why")
    func none() throws {
        let html = try Samples.html(record(.photoDepthMetadata, hardware: .unavailable, reason: .appNotAccepted))
        #expect(html.contains("(not signed)") && !html.contains(Self.sentence))
        #expect(html.contains("No accepted hardware signature covers this.") && !html.contains("No hardware signature"))
        #expect(!(try Samples.html(Samples.record(named: "processing")).contains("not signed")))
    }

    @Test(
        "each reason why a signature that holds does not count has its words",
        arguments: [
            (HardwareReason.appNotAccepted, "The app that signed it is no longer accepted here"),
            (.environmentMismatch, "The device was registered for another environment than this one"),
            (.developmentDevice, "Signed by a test device, which does not count here"),
            (.distributionNotAccepted, "The app was installed in a way that is not accepted here"),
            (.appVersionNotAccepted, "The app’s version is not accepted here"),
            (.bindingRetired, "Signed in an older way, which is no longer accepted"),
        ])
    func refusals(reason: HardwareReason, told: String) throws {
        let html = try Samples.html(record(.photo, hardware: .unavailable, reason: reason))
        #expect(html.contains(told) && !html.contains("No hardware signature came with this photo"))
    }

    @Test("a list of similar captures marks those that are not signed")
    func similar() throws {
        func capture(_ isSigned: Bool) -> SimilarCapture {
            SimilarCapture(
                id: CaptureID(), confidence: .high, isDevelopment: false, capturedAt: .exact(Samples.captured), place: "Lyon, France",
                isSigned: isSigned)
        }
        let html = try Samples.html(Samples.record(kind: .photo), similar: SimilarCaptures([capture(true), capture(false)], devices: 2))
        #expect(html.components(separatedBy: "· not signed</span>").count == 2)
        #expect(html.contains("Lyon, France</bdi> <span class=\"q\">· not signed</span>"))
    }

    @Test("a file that was looked up without JavaScript has the marks too")
    func file() {
        func values(_ binding: AssertionBinding) -> String {
            let evidence = Samples.Evidence(binding: binding, location: MetadataCheck(.pass), place: "Lyon, France").package
            let file = KnownFile(
                matched: .original, captureID: Samples.id, confidence: .high, evidence: evidence.publicForm(sharing: .everything),
                others: [])
            let view = FileResultView(result: .known(file, digest: Samples.digest), strings: resources.strings(.english))
            return "\(view.context())"
        }
        #expect(values(.photo).contains("(as reported) · not signed") && values(.photo).contains("(approximate) · not signed"))
        #expect(!values(.photoDepthMetadata).contains("not signed"))
    }
}
