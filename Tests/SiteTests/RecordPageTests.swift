import CaptureProtocol
import Foundation
import Models
import TestSupport
import Testing

@testable import Site

@Suite("Record page")
struct RecordPageTests {
    @Test("every state is a whole page in every language", arguments: Samples.states.map(\.name), Language.allCases)
    func whole(name: String, language: Language) throws {
        let record = Samples.record(named: name)
        let html = try Samples.html(record, language)
        #expect(html.hasPrefix("<!doctype html>\n<html lang=\"\(language.rawValue)\">"))
        #expect(html.contains("</html>"))
        // The traces of a missing value or string.
        #expect(!html.contains("{{") && !html.contains("Optional("))
        let visible = html.replacing(#/ data-[a-z]+="[^"]*"/#, with: "").replacing(#/<template.*?<\/template>/#, with: "")
            .replacing(#/<style>[^<]*<\/style>/#, with: "")
        #expect(visible.firstMatch(of: #/\{\w+\}/#) == nil)
        #expect(html.components(separatedBy: "<h1").count == 2)
        #expect(html.contains("<link rel=\"canonical\" href=\"\(publicURL)/verify/\(Samples.id)\">"))
        // A missing string is rendered as its key, such as "hw.pass".
        #expect(visible.firstMatch(of: #/>(?:hw|dp|time|model|size|loc|cc|h1|note|fact|m|zone|st|ck|proc|failed|hash)\.[a-z.]+</#) == nil)
    }

    @Test(
        "the sentence says what the evidence is",
        arguments: [
            ("high", "A genuine iPhone signed this photo, and its LiDAR sensor measured a scene with depth."),
            ("high, model unknown", "A genuine iPhone signed this photo, and depth data sent with it shows a three-dimensional scene."),
            ("no lidar", "A genuine iPhone signed this photo. Its depth data does not settle whether the scene was three-dimensional."),
            ("flat", "A genuine iPhone signed this photo. Its depth data does not settle whether the scene was three-dimensional."),
            ("no depth", "A genuine iPhone signed this photo. No depth data came with it."),
            ("device unverified", "The depth data shows a three-dimensional scene, but no accepted hardware signature vouches for it."),
            ("low", "Neither the device nor the depth could be confirmed. That alone does not make the photo false."),
            ("suspicious", "Hardware attestation failed: something in this record does not add up."),
            ("suspicious in many ways", "4 checks failed: something in this record does not add up."),
            ("development", "A test device signed this photo."),
            ("hash only", "A genuine iPhone registered the fingerprint of this photo."),
            ("video", "A genuine iPhone signed this video, and its LiDAR sensor measured a scene with depth."),
            ("processing", "We are checking this photo."),
            ("failed", "This capture could not be checked."),
        ])
    func headline(name: String, sentence: String) throws {
        #expect(try Samples.html(Samples.record(named: name)).contains("<h1 tabindex=\"-1\">\(sentence)</h1>"))
    }

    @Test(
        "no LiDAR sensor is claimed where the model does not show one, or no accepted signature of a phone covers the depth",
        arguments: ["high, model unknown", "no lidar", "depth not signed", "device unverified", "suspicious", "development"])
    func sensor(name: String) throws {
        let html = try Samples.html(Samples.record(named: name))
        #expect(!html.contains("its LiDAR sensor measured") && !html.contains("Measured by the phone’s LiDAR sensor"))
        #expect(html.contains("Depth data that was sent with the photo."))
        #expect(try Samples.html(Samples.record(named: "high")).contains("Measured by the phone’s LiDAR sensor"))
        #expect(html.contains("Real 3D scene detected") == (name != "no lidar"))
    }

    @Test(
        "the same of depth that the device computed",
        arguments: [(CheckStatus.pass, false, true), (.pass, true, false), (.unavailable, false, false), (.fail, false, false)])
    func deviceSensor(hardware: CheckStatus, isDevelopment: Bool, isSigned: Bool) throws {
        let evidence = Samples.Evidence(hardware: hardware, development: isDevelopment, binding: .payload, source: .device)
        let html = try Samples.html(Samples.record(evidence, kind: .hashOnly, media: [:]))
        #expect(html.contains("Measured by the phone’s LiDAR sensor; computed on the device.") == isSigned)
        #expect(html.contains("Computed on the device from its depth data.") != isSigned)
    }

    @Test(
        "the verdict on the depth has the mark of its check, which passes only where it counts",
        arguments: [
            ("high", "pass", "check"), ("device unverified", "pass", "check"), ("depth not signed", "ask", "ask"), ("flat", "ask", "ask"),
            ("no lidar", "ask", "ask"), ("low", "ask", "ask"),
        ])
    func depthMark(name: String, style: String, icon: String) throws {
        let html = try Samples.html(Samples.record(named: name))
        let svg = "<svg class=\"i\" aria-hidden=\"true\"><use href=\"#i-\(icon)\"/></svg>"
        #expect(html.contains("<p class=\"told \(style)\">\(svg)"))
    }

    @Test("what is reported beside the relief is in the evidence, and that an earlier method judged")
    func depthParts() throws {
        let present = try #require(rows("high").first { $0.check == .depth }?.paragraphs)
        #expect(present.contains { $0.contains("3 % lies in front of the fitted surface and 34 % behind it") })
        #expect(present.contains { $0.contains("42 % of the photo’s outlines") } && !present.contains { $0.contains("earlier method") })
        let old = Samples.record(Samples.Evidence(edges: nil, method: "relief-1"), kind: .photo)
        let html = try Samples.html(old)
        #expect(html.contains("relief-1") && html.contains("An earlier method judged this record, and its result stands."))
        #expect(!html.contains("of the photo’s outlines"))
    }

    @Test("a failed signature of a test device is not told as a signature")
    func developmentFailure() throws {
        let html = try Samples.html(
            Samples.record(Samples.Evidence(hardware: .fail, hardwareReason: .badSignature, development: true), .suspicious, kind: .photo))
        #expect(html.contains("Hardware attestation failed"))
        #expect(html.contains("id=\"band\""))
    }

    @Test("a development attestation is marked above everything, in the badge, the title and what is shared")
    func development() throws {
        let html = try Samples.html(Samples.record(named: "development"))
        #expect(html.contains("<aside class=\"band\" id=\"band\""))
        #expect(html.contains("<title>[TEST] HIGH confidence · photo captured 22 November 2025 · rial.</title>"))
        #expect(html.contains("og:title\" content=\"[TEST] "))
        #expect(html.contains("badge high test"))
        #expect(html.contains("which Apple does not vouch for"))
        #expect(!(try Samples.html(Samples.record(kind: .photo)).contains("id=\"band\"")))
    }

    @Test("failed checks come first and open; the one that limits the level is open")
    func rows() {
        let many = rows("suspicious in many ways")
        #expect(many.prefix(4).allSatisfy { $0.status == .fail && $0.isOpen } && many.dropFirst(4).allSatisfy { !$0.isOpen })
        #expect(rows("flat").filter(\.isOpen).map(\.check) == [.depth])
        #expect(rows("device unverified").filter(\.isOpen).map(\.check) == [.hardware])
        #expect(rows("low").filter(\.isOpen).map(\.check) == [.hardware, .depth])
        #expect(rows("high").filter(\.isOpen).map(\.check) == [.hardware])
        #expect(rows("high").map(\.check) == CheckRow.Check.allCases.filter { $0 != .chain }, "only a video has a chain")
    }

    @Test(
        "each reason has its words",
        arguments: [
            ("suspicious in many ways", CheckRow.Check.hardware, "This signature was already used for another capture"),
            ("suspicious in many ways", .time, "A time given for this photo is later than when we received it"),
            ("suspicious in many ways", .model, "One of the named models is not one this app supports"),
            ("suspicious in many ways", .location, "The coordinates are not a place on Earth"),
            ("suspicious in many ways", .size, "4032 × 3024, not in our table for this model"),
            ("revoked", .hardware, "The device was revoked when this was checked"),
            ("revoked", .time, "The photo’s time and the reported time differ"),
            ("revoked", .model, "The photo and the registered device name different models"),
            ("high", .hardware, "Signed by a genuine iPhone, not a repeat"),
            ("high", .depth, "3D scene, relief 37 %, computed on the server"),
            ("high", .time, "Taken 2 seconds before we received it"),
            ("high", .model, "\u{2068}iPhone 15 Pro\u{2069}, has a LiDAR sensor"),
            ("high", .size, "4032 × 3024, known for this model"),
            ("high", .location, "Location not provided"),
            ("high, upright", .location, "\u{2068}Lyon, France\u{2069} (approximate)"),
            ("late", .time, "Uploaded later; the times agree with each other"),
            ("not signable", .time, "The photo’s time has no time zone"),
            ("low", .hardware, "No hardware signature came with this photo"),
            ("low", .depth, "Not enough to decide, computed on the server"),
            ("low", .time, "The photo carries no time"),
            ("low", .model, "The exact model is not stated, or not in our table"),
            ("low", .size, "No known sizes to compare with"),
            ("flat", .depth, "One smooth surface in the middle, computed on the server"),
            ("depth not signed", .depth, "The signature does not cover the depth, so it cannot count, computed on the server"),
            (
                "shape not signed", .depth,
                "The signature does not cover the shape of the depth map, so the depth cannot count, computed on the server"
            ),
            ("no lidar", .depth, "The device has no LiDAR sensor, so its depth cannot count, computed on the server"),
            ("no lidar", .model, "\u{2068}iPhone 15 Pro\u{2069}, a model with a LiDAR sensor; this device reports none"),
            ("no depth", .depth, "No depth data"),
            ("device unverified", .hardware, "This device could not be confirmed as genuine"),
            ("hash only", .depth, "3D scene, relief 37 %, computed on the device"),
        ])
    func details(name: String, check: CheckRow.Check, detail: String) {
        #expect(rows(name).first { $0.check == check }?.detail == detail)
    }

    @Test("a time, a model or a size that says too little is not called absent")
    func stated() {
        func row(_ check: CheckRow.Check, _ evidence: Samples.Evidence) -> CheckRow? {
            rows(Samples.record(evidence, kind: .photo, media: [:])).first { $0.check == check }
        }
        let unreadable = row(.time, Samples.Evidence(time: MetadataCheck(.unavailable, reason: .unreadableEXIFTime)))
        let noZone = row(.time, Samples.Evidence(time: MetadataCheck(.unavailable, reason: .noUTCOffset)))
        #expect(unreadable?.detail == "The photo’s time cannot be read")
        for found in [unreadable, noZone] {
            #expect(found?.paragraphs.first?.hasPrefix("Without a readable time and its time zone there is nothing to compare.") == true)
        }
        let unknown = MetadataCheck(.unavailable, reason: ModelReason.modelUnknown)
        #expect(
            row(.model, Samples.Evidence(model: "iPhone 18 Pro", modelCheck: unknown))?.detail
                == "\u{2068}iPhone 18 Pro\u{2069} is not in our table of models")
        for model in ["iPhone", "iPhone 15 Pro", ""] {
            #expect(
                row(.model, Samples.Evidence(model: model, modelCheck: unknown))?.detail
                    == "The exact model is not stated, or not in our table")
        }
        let size = row(.size, Samples.Evidence(size: MetadataCheck(.unavailable, reason: .sizeNotInTable)))
        #expect(size?.detail == "Not in our table for this model")
    }

    @Test(
        "a time after receipt is not called that of the file, since it may be the one sent beside it",
        arguments: [
            (CaptureKind.photo, "this photo", "esta foto"), (.hashOnly, "this photo", "esta foto"),
            (.video, "this video", "este vídeo"), (.hashOnlyVideo, "this video", "este vídeo"),
        ])
    func timeAfterReceipt(kind: CaptureKind, english: String, spanish: String) throws {
        let evidence = Samples.Evidence(time: MetadataCheck(.fail, reason: .afterReceipt))
        let record = Samples.record(evidence, .suspicious, kind: kind, media: [:])
        #expect(try Samples.html(record).contains("A time given for \(english) is later than when we received it"))
        #expect(try Samples.html(record, .spanish).contains("Una hora indicada para \(spanish) es posterior a su recepción"))
    }

    @Test(
        "a time that passes is told by how long before receipt it was only where that is within the quarter of an hour of the check",
        arguments: [
            (-90, nil), (0, "0 seconds"), (90, "90 seconds"), (900, "15 minutes"), (28 * 60, nil),
        ] as [(TimeInterval, String?)])
    func delay(seconds: TimeInterval, told: String?) {
        let agreement = "The time in the photo and the time we received it agree within 15 minutes."
        let captured = SharedTime.exact(Samples.received.addingTimeInterval(-seconds))
        let row = rows(Samples.record(kind: .photo, capturedAt: captured)).first { $0.check == .time }
        #expect(row?.detail == told.map { "Taken \($0) before we received it" } ?? agreement)
        #expect(row?.paragraphs == (told == nil ? [] : [agreement]))
    }

    @Test(
        "the time of a fingerprint-only capture is called signed only where its signature is accepted",
        arguments: [(CheckStatus.pass, nil), (.fail, HardwareReason.deviceRevoked), (.unavailable, .appNotAccepted)]
            as [(CheckStatus, HardwareReason?)])
    func signedTime(hardware: CheckStatus, reason: HardwareReason?) throws {
        let evidence = Samples.Evidence(hardware: hardware, hardwareReason: reason, binding: .payload, source: .device)
        let record = Samples.record(evidence, reason == .deviceRevoked ? .suspicious : .medium, kind: .hashOnly, media: [:])
        for language in Language.allCases {
            let (html, strings) = (try Samples.html(record, language), resources.strings(language))
            #expect(html.contains(strings("time.signed.more")) == (hardware == .pass))
            #expect(html.contains(strings("time.given.more")) == (hardware != .pass))
            #expect(html.contains(strings("fact.unsigned.more")) == (hardware != .pass))
        }
        // The gateway refuses such a capture if its signature does not hold, whatever is thought of the device.
        #expect(try !Samples.html(record).contains("not examined"))
    }

    @Test("models that pass are said to be supported and not to contradict, not to be the same", arguments: ["high", "hash only", "video"])
    func models(name: String) {
        let told = "Every model that is named is one this app supports, and none contradicts the registered phone."
        #expect(rows(name).first { $0.check == .model }?.paragraphs == [told])
    }

    @Test("coordinates that are not on Earth are not told as a location that was not provided", arguments: Language.allCases)
    func falsePlace(language: Language) throws {
        let (html, strings) = (try Samples.html(Samples.record(named: "suspicious in many ways"), language), resources.strings(language))
        #expect(html.contains("<dt>\(strings("fact.place"))</dt><dd>\(strings("loc.fail"))"))
        #expect(!html.contains(strings("fact.noplace")))
    }

    @Test("what the signature does not cover is named")
    func covers() {
        let row = rows("depth not signed").first { $0.check == .hardware }
        #expect(row?.covers.map(\.isCovered) == [true, false, false])
    }

    @Test("the tally counts failed, passed, undecided, unavailable, and leads to the first of each")
    func tally() throws {
        let html = try Samples.html(Samples.record(named: "suspicious in many ways"))
        #expect(html.contains("<a class=\"fail\" href=\"#check-hardware\">"))
        #expect(html.contains("4 failed") && html.contains("1 passed") && html.contains("1 not available"))
    }

    @Test("receipt is told by how late it was, and as a time where that is not known")
    func received() throws {
        #expect(try Samples.html(Samples.record(kind: .photo)).contains("<dd>2 seconds later</dd>"))
        #expect(
            try Samples.html(Samples.record(named: "late")).contains("<dd>3 hours later, kept on the phone until it was online</dd>"))
        let unknown = try Samples.html(Samples.record(named: "time not shared"))
        #expect(unknown.contains("<dd>22 November 2025, 10:30:06 UTC</dd>") && unknown.contains("Time not shared"))
        #expect(unknown.contains("Model not shared"))
        let day = try Samples.html(Samples.record(named: "hash only"))
        #expect(day.contains("<time datetime=\"2025-11-22\">22 November 2025</time>") && !day.contains("data-time"))
        #expect(try Samples.html(Samples.record(kind: .photo), .spanish).contains("22 de noviembre de 2025, 10:30:04 UTC"))
    }

    @Test("a record being checked shows its steps, follows the stream, and does not deny a place that came with it")
    func processing() throws {
        let html = try Samples.html(Samples.record(named: "processing"))
        #expect(html.contains("data-events=\"/api/v1/captures/\(Samples.id)/events\""))
        #expect(
            html.contains("<li data-step=\"received\" class=\"on\">")
                && html.contains("<li data-step=\"hardware_attestation\" class=\"on\">"))
        #expect(html.contains("<li data-step=\"depth_analysis\">") && html.contains("<li data-step=\"evidence\">"))
        // A step is done whatever its check found.
        let steps = try #require(html.firstMatch(of: #/<ol class="steps"[\s\S]*?<\/ol>/#)?.output)
        #expect(steps.matches(of: #/<svg class="i" aria-hidden="true"><use href="#i-dot"\/>/#).count == 2)
        #expect(steps.matches(of: #/<svg class="i none" aria-hidden="true"><use href="#i-dash"\/>/#).count == 2)
        let script = String(decoding: try #require(resources.assets["js/live.js"]).bytes, as: UTF8.self)
        #expect(script.contains("'#i-dot'") && !script.contains("i-check") && !script.contains("i pass"))
        #expect(!html.contains("Location not provided"))
        #expect(html.contains("photo empty"))
        #expect(!html.contains("http-equiv"))
    }

    @Test("what is said to be safe while it is checked is the record: a fingerprint has no photo here", arguments: Language.allCases)
    func slow(language: Language) throws {
        let told = language == .english ? "The record is safe;" : "El registro está a salvo;"
        for kind in [CaptureKind.photo, .hashOnly, .video, .hashOnlyVideo] {
            let html = try Samples.html(Samples.record(nil, nil, status: .processing, kind: kind, media: [:]), language)
            #expect(html.firstMatch(of: #/<p id="slow" hidden>[^<]*/#)?.output.contains(told) == true)
        }
    }

    @Test(
        "a failure says whose it is, never that of the photo",
        arguments: [
            ("failed", "The picture could not be read."), ("failed, depth", "The depth map could not be read."),
            ("failed, ours", "Something went wrong on our side."),
        ])
    func failed(name: String, reason: String) throws {
        #expect(try Samples.html(Samples.record(named: name)).contains("\(reason) This says nothing about the photo."))
    }

    @Test("a hash-only record has the digest in four lines, compares files, and has no picture and no download")
    func hashOnly() throws {
        let page = Samples.page(Samples.record(named: "hash only"))
        let html = try makePages().html(page, .english)
        #expect(html.contains("<code><span>9f2c41d07be8a635</span><span>3c10f4d2ab97e601</span>"))
        #expect(html.contains("data-compare=\"\(Samples.digest.hex)\""))
        #expect(page.scripts == ["verify.js", "file.js"] && page.showsLocalFiles)
        #expect(!html.contains("/media/") && html.contains("there is no photo here to put them in."))
        #expect(html.contains("The device was genuine.") && html.contains("Depth was computed and signed on the device."))
    }

    @Test(
        "a hash counts as verified only where an attestation vouches for it, and a device as genuine only by Apple's",
        arguments: [
            (CheckStatus.pass, false, true), (.pass, true, true), (.unavailable, false, false), (.inconclusive, false, false),
            (.fail, false, false),
        ])
    func vouching(hardware: CheckStatus, isDevelopment: Bool, isVouchedFor: Bool) throws {
        let evidence = Samples.Evidence(hardware: hardware, development: isDevelopment, binding: .payload, source: .device)
        let html = try Samples.html(Samples.record(evidence, kind: .hashOnly, media: [:]))
        for words in ["<b>Hash Verified</b>", "Vouched for by device attestation"] {
            #expect(html.contains(words) == isVouchedFor, "\(words)")
        }
        #expect(html.contains("The device was genuine.") == (isVouchedFor && !isDevelopment))
        #expect(html.contains("<b>Hash recorded</b>") != isVouchedFor)
        #expect(html.contains("Original media not stored on server"))
        let video = Samples.Video().changed { ($0.mode, $0.evidence) = (.hashOnly, evidence) }.record
        #expect(try Samples.html(video).contains("Video Hash Verified") == isVouchedFor)
        #expect(try Samples.html(video, .spanish).contains("Hash de vídeo registrado") != isVouchedFor)
    }

    @Test("a hash counts as recorded only where the verdict was taken back or a check failed", arguments: Language.allCases)
    func notVouching(language: Language) throws {
        let evidence = Samples.Evidence(binding: .payload, source: .device)
        let failed = Samples.Evidence(binding: .payload, source: .device, time: MetadataCheck(.fail, reason: .afterReceipt))
        let sound = Samples.record(evidence, kind: .hashOnly, media: [:])
        var revoked = sound
        revoked.log = RecordLog(state: .pending, entry: nil, witnessedAt: nil, witnesses: [], hasBundle: false, isRevoked: true)
        let suspicious = Samples.record(failed, .suspicious, kind: .hashOnly, media: [:])
        let strings = resources.strings(language, .photo)
        for (record, isVouchedFor) in [(sound, true), (revoked, false), (suspicious, false)] {
            let html = try Samples.html(record, language)
            #expect(html.contains("<b>\(strings("badge.hash"))</b>") == isVouchedFor)
            #expect(html.contains("<b>\(strings("badge.recorded"))</b>") != isVouchedFor)
            for key in ["hash.device", "hash.known.device", "hash.known.depth"] { #expect(html.contains(strings(key)) == isVouchedFor) }
            let match = try #require(html.firstMatch(of: #/<template id="x-match">.*/#)?.output)
            #expect(match.contains("told pass") == isVouchedFor && match.contains("#i-check") == isVouchedFor)
            #expect(match.contains("#i-hash") != isVouchedFor && match.contains(strings("hash.yes")))
        }
    }

    @Test(
        "missing Content Credentials are explained",
        arguments: [
            ("device unverified", "the device is not confirmed."), ("suspicious", "a check failed."),
            ("not signable", "the picture’s file does not allow it."), ("original missing", "the stored file is missing or was changed."),
            ("credentials pending", "They are being written."),
        ])
    func withheld(name: String, reason: String) throws {
        let html = try Samples.html(Samples.record(named: name))
        #expect(html.contains(reason) && !html.contains("contentcredentials.org"))
    }

    @Test("Content Credentials that were still due when the device was revoked are not promised")
    func revoked() throws {
        var record = Samples.record(named: "credentials pending")
        record.log = RecordLog(state: .pending, entry: nil, witnessedAt: nil, witnesses: [], hasBundle: false, isRevoked: true)
        let html = try Samples.html(record)
        #expect(html.contains("the device was revoked.") && !html.contains("They are being written."))
    }

    @Test("downloads and both digests are there with Content Credentials")
    func downloads() throws {
        let html = try Samples.html(Samples.record(kind: .photo))
        #expect(html.contains("Photo with credentials, 3.4 MB") && html.contains("Credentials only, 18 kB"))
        #expect(html.contains(Samples.digest.hex) && html.contains(Samples.copyDigest.hex))
        #expect(html.contains("22 November 2025, 10:30:07 UTC"))
        #expect(try Samples.html(Samples.record(kind: .photo), .spanish).contains("Foto con credenciales, 3,4 MB"))
    }

    @Test("the page's own pictures are preferred to the full-size copy, and named with their widths")
    func variants() throws {
        var media = Samples.media(tall: true)
        media[.smallPicture] = PublishedMedia(
            sha256: Samples.digest, sizeBytes: 1, link: "/media/x/photo-828.jpg?a=1&b=2", size: PixelSize(621, 828))
        media[.largePicture] = PublishedMedia(
            sha256: Samples.digest, sizeBytes: 1, link: "/media/x/photo-1656.jpg", size: PixelSize(1242, 1656))
        let html = try Samples.html(Samples.record(kind: .photo, media: media))
        #expect(
            html.contains(
                "src=\"/media/x/photo-828.jpg?a=1&amp;b=2\" srcset=\"/media/x/photo-828.jpg?a=1&amp;b=2 621w, /media/x/photo-1656.jpg 1242w\""
            ))
        #expect(html.contains("width=\"621\" height=\"828\"") && html.contains("class=\"wrap tall\""))
        #expect(html.contains("3024 × 4032, known for this model"))
        #expect(try Samples.html(Samples.record(kind: .photo)).contains("class=\"wrap wide\""))
    }

    @Test("captures by several devices are listed, this one without a link; without any there is no list")
    func similar() throws {
        let other = CaptureID()
        let similar = SimilarCaptures(
            [
                SimilarCapture(
                    id: Samples.id, confidence: .high, isDevelopment: false, capturedAt: .exact(Samples.captured), place: "Lyon, France"),
                SimilarCapture(id: other, confidence: .low, isDevelopment: true, capturedAt: .exact(Samples.captured), place: nil),
            ], devices: 2)
        let html = try Samples.html(Samples.record(kind: .photo), similar: similar)
        #expect(html.contains("2 devices registered exactly this file: captures with a stored file first, then by level;"))
        #expect(html.contains("<a href=\"/verify/\(other)\">Captured 22 November 2025, 10:30 UTC</a>"))
        #expect(html.contains("(this record)") && !html.contains("<a href=\"/verify/\(Samples.id)\">Captured"))
        #expect(!(try Samples.html(Samples.record(kind: .photo)).contains("Similar captures of this file</h2>")))
        #expect(!html.contains("captures are listed."))
        let cut = SimilarCaptures(similar.captures, devices: 60, isCut: true)
        let told = try Samples.html(Samples.record(kind: .photo), similar: cut)
        #expect(told.contains("60 devices registered exactly this file") && told.contains(" At most 2 captures are listed.</p>"))
    }

    @Test("nothing but public facts is on any page: no counter, no number of a place")
    func privacy() throws {
        for (_, record) in Samples.states {
            let html = try Samples.html(record)
            #expect(!html.contains("4071178203") && !html.contains("45.76") && !html.contains("4.84"))
        }
    }

    private func rows(_ name: String) -> [CheckRow] { rows(Samples.record(named: name)) }

    private func rows(_ record: PublicRecord) -> [CheckRow] {
        guard let evidence = record.evidence, let confidence = record.confidence else { return [] }
        return CheckRows(
            evidence: evidence, confidence: confidence, capturedAt: record.capturedAt,
            pictureSize: PhotoView(media: record.media).originalSize, strings: resources.strings(.english, record.kind.type)
        ).rows()
    }
}
