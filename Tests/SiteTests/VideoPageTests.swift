import CaptureProtocol
import Foundation
import Models
import TestSupport
import Testing

@testable import Site

@Suite("Page of a video")
struct VideoPageTests {
    private func html(_ name: String, _ language: Language = .english) throws -> String {
        try Samples.html(Samples.video(named: name), language)
    }

    @Test("every state is a whole page in every language", arguments: Samples.videos.map(\.name), Language.allCases)
    func whole(name: String, language: Language) throws {
        let html = try html(name, language)
        #expect(html.contains("</html>") && !html.contains("{{") && !html.contains("Optional("))
        let visible = html.replacing(#/ data-[a-z]+="[^"]*"/#, with: "").replacing(#/<template.*?<\/template>/#, with: "")
            .replacing(#/<style>[^<]*<\/style>/#, with: "")
        #expect(visible.firstMatch(of: #/\{\w+\}/#) == nil)
        // A missing string is rendered as its key.
        #expect(visible.firstMatch(of: #/>(?:video|chain|chart|hw|dp|depth|m|zone|ck|proc|hash|note|h1)\.[a-z.]+</#) == nil)
        #expect(html.components(separatedBy: "<h1").count == 2)
        // A page of a video does not speak of a photo, but for the footer's and the frame's general words.
        let main = try #require(html.components(separatedBy: "<main").last?.components(separatedBy: "</main>").first)
        #expect(!main.contains("this photo") && !main.contains("esta foto"))
    }

    @Test(
        "the chain is told in plain words, with the reason",
        arguments: [
            ("whole", "All 375 frames verified.", nil),
            ("partial", "Verified: 10 s of 12 s.", "Every frame up to the last signed checkpoint is covered"),
            ("broken", "The chain breaks after frame 200.", "The file does not fit the chain that came with it."),
            ("reported only", "A chain was sent that cannot be computed again.", "It neither helps nor harms."),
            ("unsigned", "No accepted signature covers this chain.", "That is not held against the video."),
        ] as [(String, String, String?)])
    func told(name: String, sentence: String, reason: String?) throws {
        let html = try html(name)
        #expect(html.contains("<p><b>\(sentence)</b>"))
        #expect(reason.map { html.contains($0) } ?? !html.contains("<p><b>\(sentence)</b> "))
    }

    @Test(
        "a single frame is not told as several", arguments: [(Language.english, "1 frames", "All 1"), (.spanish, "1 fotogramas", "Los 1")])
    func single(language: Language, several: String, all: String) throws {
        for mode in [CaptureMode.full, .hashOnly] {
            let record = Samples.Video().changed { ($0.frames, $0.milliseconds, $0.mode) = (1, 33, mode) }.record
            let (html, strings) = (try Samples.html(record, language), resources.strings(language, .video))
            #expect(!html.contains(several) && !html.contains(all))
            #expect(html.contains(mode == .full ? strings("video.all.one") : strings("hash.film.one", ["s": "0"])))
        }
    }

    @Test(
        "a chain is said to be computed again only where it was, and to be the phone's only where that is signed",
        arguments: [
            ("whole", "chain.more"), ("partial", "chain.unsigned.more"), ("broken", "chain.more"), ("unsigned", "chain.unsigned.more"),
            ("reported only", nil), ("hash only", nil),
        ] as [(String, String?)])
    func computed(name: String, told: String?) throws {
        let html = try html(name)
        for key in ["chain.more", "chain.unsigned.more"] {
            #expect(html.contains(resources.strings(.english, .video)(key)) == (key == told), "\(key)")
        }
    }

    @Test("the chain of a test device is not said to be a phone's")
    func computedByTestDevice() throws {
        let evidence = Samples.Evidence(development: true, binding: .videoDepthMetadata)
        let html = try Samples.html(Samples.Video().changed { $0.evidence = evidence }.record)
        let strings = resources.strings(.english, .video)
        #expect(html.contains(strings("chain.unsigned.more")) && !html.contains(strings("chain.more")))
    }

    /// What is said of a partial recording, both lengths in milliseconds.
    private func sentence(_ verified: Int64, of whole: Int64, _ language: Language = .english) throws -> String {
        let record = Samples.Video().changed {
            ($0.status, $0.reason, $0.verified, $0.milliseconds) = (.inconclusive, .partial, verified, whole)
        }.record
        let chain = try #require(record.evidence?.hashChain)
        return ChainText(chain, try #require(record.evidence?.video), resources.strings(language)).sentence
    }

    @Test("verified time is rounded down, and less than a second is said to be so")
    func rounded() throws {
        #expect(try sentence(9999, of: 12_999) == "Verified: 9 s of 12 s")
        #expect(try sentence(10_000, of: 15_000) == "Verified: 10 s of 15 s")
        #expect(try sentence(999, of: 12_999) == "Verified: less than a second of 12 s")
    }

    @Test(
        "a part that is as many whole seconds long as the recording is told in decimals, rounded down, and so not as all of it",
        arguments: [
            (10_000, 10_966, "10 s", "10.9 s"), (10_000, 10_500, "10 s", "10.5 s"), (5000, 5400, "5 s", "5.4 s"),
            (10_000, 10_033, "10 s", "10.03 s"), (9990, 9999, "9.99 s", "9.999 s"), (500, 966, "0.5 s", "0.9 s"),
        ] as [(Int64, Int64, String, String)])
    func nearlyWhole(verified: Int64, whole: Int64, part: String, all: String) throws {
        let spanish = try sentence(verified, of: whole, .spanish)
        #expect(try sentence(verified, of: whole) == "Verified: \(part) of \(all)")
        #expect(spanish == "Verificado: \(part) de \(all)".replacing(".", with: ","))
    }

    @Test("a chain that breaks is told where; where only sound or a checkpoint differs there is no place")
    func breaks() throws {
        func page(_ frame: Int?) throws -> String {
            try Samples.html(
                Samples.Video().changed {
                    ($0.status, $0.reason, $0.verified, $0.breakAt) = (.fail, .chainMismatch, 0, frame)
                    $0.confidence = .suspicious
                }.record)
        }
        #expect(try page(0).contains("The chain breaks at the first frame") && page(0).contains("x1=\"0%\" x2=\"0%\" y1=\"-4\""))
        #expect(try page(nil).contains("The chain does not fit the sound, the depth or a checkpoint"))
        #expect(try !page(nil).contains("class=\"cut\""))
        let broken = try html("broken")
        // 200 of 375 frames.
        #expect(broken.contains("<line x1=\"53.33%\" x2=\"53.33%\" y1=\"-4\" y2=\"22\" class=\"cut\"/>"))
        #expect(broken.contains("Chain of frames failed: something in this record does not add up."))
        #expect(broken.contains("public.mp4") && !broken.contains("c2pa.mp4"))
    }

    @Test("the line has the verified part by colour, the rest by pattern, both by words, and checkpoints as ticks")
    func line() throws {
        let partial = try html("partial")
        #expect(partial.contains("<rect width=\"80%\" height=\"14\" rx=\"3\" class=\"sure\"/>"))
        #expect(partial.contains("</svg>Verified<svg") && partial.contains("</svg>Not verified</p>"))
        #expect(partial.contains("<line x1=\"40%\" x2=\"40%\" y1=\"0\" y2=\"20\"/>"))
        #expect(partial.contains("Lines mark checkpoints") && partial.contains(">12.5 s</text>"))
        let whole = try html("whole")
        #expect(whole.contains("<rect width=\"100%\" height=\"14\" rx=\"3\" class=\"sure\"/>") && !whole.contains("</svg>Not verified"))
        let unsigned = try html("unsigned")
        #expect(!unsigned.contains("class=\"sure\"") && unsigned.contains("</svg>Not verified</p>"))
        // A checkpoint that no accepted signature covers is drawn dashed.
        #expect(unsigned.contains("y1=\"0\" y2=\"20\" stroke-dasharray=\"3\"/>"))
        #expect(unsigned.contains("solid ones have an accepted signature of their own."))
        #expect(try html("whole", .spanish).contains("Los 375 fotogramas están verificados."))
        #expect(try html("partial", .spanish).contains("Verificado: 10 s de 12 s."))
    }

    @Test("what the line consists of has a contrast of at least 3:1 to what is beside it, in both colour schemes", arguments: [0, 1])
    func contrast(scheme: Int) throws {
        let schemes = resources.css.components(separatedBy: "@media screen and (prefers-color-scheme:dark)")
        try #require(schemes.count == 2)
        /// WCAG 2.2, relative luminance.
        func luminance(_ token: String) throws -> Double {
            let pattern = try Regex("--\(token):#([0-9A-F]{6})", as: (Substring, Substring).self)
            let colour = try #require(schemes[scheme].firstMatch(of: pattern)).output.1
            let number = try #require(UInt32(colour, radix: 16))
            let parts = [number >> 16, number >> 8, number].map { part -> Double in
                let share = Double(part & 255) / 255
                return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
            }
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
        }
        // The verified part beside the two stripes of the rest; all of it, its ticks and where it breaks on the ground of the page.
        for (one, other) in [
            ("sure", "open"), ("sure", "open-2"), ("sure", "sunken"), ("open", "sunken"), ("ink", "sunken"), ("fail", "sunken"),
        ] {
            let (first, second) = (try luminance(one), try luminance(other))
            #expect((max(first, second) + 0.05) / (min(first, second) + 0.05) >= 3, "\(one) and \(other)")
        }
        let gap = "<line class=\"gap\" x1=\"40%\" x2=\"40%\" y1=\"0\" y2=\"20\"/>"
        #expect(try html("partial").contains(gap + "<line x1=\"40%\" x2=\"40%\" y1=\"0\" y2=\"20\"/>"))
        #expect(resources.css.contains(".line .gap{stroke:var(--sunken)"))
    }

    @Test("keyframes called flat or suspicious are marked on the line and counted in words")
    func marks() throws {
        let undecided = try html("undecided")
        #expect(undecided.contains("<circle cx=\"5.6%\" cy=\"7\" r=\"4\"/>"))
        #expect(undecided.contains("A dot marks one keyframe whose depth is flat or doubtful."))
        #expect(try html("flat").contains("Dots mark 125 keyframes"))
        #expect(try !html("whole").contains("<circle cx=\"5.6%\" cy=\"7\""))
    }

    @Test("undecided keyframes, which have no dot, are not called by the word for doubtful ones", arguments: Language.allCases)
    func doubts(language: Language) {
        let strings = resources.strings(language, .video)
        for undecided in ["chart.undecided", "zone.unclear"] {
            // Without its ending, which follows the noun.
            let stem = String(strings(undecided).dropLast())
            for key in ["video.doubts", "video.doubts.one", "chart.doubt", "chart.doubtful"] {
                #expect(!strings(key).contains(stem), "\(key)")
            }
        }
    }

    @Test("the player reserves its size, has the poster, and names exact codecs")
    func player() throws {
        let html = try html("whole")
        #expect(html.contains("<video controls playsinline preload=\"metadata\" width=\"1920\" height=\"1080\" poster=\"/media/"))
        #expect(html.contains("c2pa.mp4?expires=1&amp;signature=00\" type=\"video/mp4; codecs=&quot;avc1.64001F,mp4a.40.2&quot;\""))
        #expect(!html.contains("playback.mp4") && !html.contains("smaller copy"))
        #expect(html.contains("data-record=\"/api/v1/captures/\(Samples.id)\"") && html.contains("class=\"wrap wide\""))
        let upright = try self.html("upright")
        #expect(upright.contains("width=\"1080\" height=\"1920\" poster") && upright.contains("class=\"wrap tall\""))
    }

    @Test("HEVC comes first, then the copy, which is named as not the signed one; without a copy that is said")
    func copies() throws {
        let html = try html("HEVC")
        let first = try #require(html.range(of: "codecs=&quot;hvc1.1.6.L120.90,mp4a.40.2&quot;"))
        let second = try #require(html.range(of: "playback.mp4"))
        #expect(first.upperBound < second.lowerBound)
        #expect(html.contains("plays a smaller copy, which is not the signed one."))
        #expect(try self.html("no playback copy").contains("A smaller copy is not available."))
    }

    @Test(
        "beside the copy a video is called signed only where it is",
        arguments: [
            (.pass, .videoDepthMetadata, false, true), (.unavailable, .videoDepthMetadata, false, false),
            (.unavailable, .videoDepthMetadata, true, true), (.pass, .checkpoint, false, false),
        ] as [(CheckStatus, AssertionBinding, Bool, Bool)])
    func signed(hardware: CheckStatus, binding: AssertionBinding, hasCredentials: Bool, isSigned: Bool) throws {
        let record = Samples.Video().changed { video in
            (video.codec, video.hasPlayback) = ("hevc", true)
            // Without Content Credentials the file is public as it came.
            video.confidence = hasCredentials ? .medium : .suspicious
            video.evidence = Samples.Evidence(hardware: hardware, binding: binding)
        }.record
        for language in Language.allCases {
            let (html, strings) = (try Samples.html(record, language), resources.strings(language, .video))
            #expect(html.contains(strings("video.copy")) == isSigned && html.contains(strings("video.copy.unsigned")) != isSigned)
        }
    }

    @Test("codecs that are no codecs do not reach the page", arguments: ["a\"b", "a\\b", "a\nb", "ä", ""])
    func codecs(text: String) throws {
        let html = try Samples.html(Samples.Video().changed { $0.codecs = text }.record)
        #expect(html.contains("type=\"video/mp4\"") && !html.contains("codecs="))
    }

    @Test("only the page of a video loads its script, also before there is a video")
    func scripts() throws {
        func text(_ name: String) throws -> String { String(decoding: try #require(resources.assets[name]).bytes, as: UTF8.self) }
        #expect(try text("js/film.js").contains("export function setUpFilm()") && text("js/live.js").contains("setUpFilm?.()"))
        #expect(Samples.page(Samples.video(named: "whole")).scripts == ["verify.js", "film.js"])
        #expect(Samples.page(Samples.video(named: "processing")).scripts == ["verify.js", "film.js"])
        #expect(Samples.page(Samples.video(named: "hash only")).scripts == ["verify.js", "file.js"])
        #expect(Samples.page(Samples.record(kind: .photo)).scripts == ["verify.js"])
    }

    @Test("a video's size is compared with those of videos, not with those of a model")
    func size() throws {
        func page(_ check: MetadataCheck<ResolutionReason>) throws -> String {
            try Samples.html(Samples.Video().changed { $0.evidence = Samples.Evidence(binding: .videoDepthMetadata, size: check) }.record)
        }
        #expect(try page(MetadataCheck(.pass)).contains("This is one of the sizes that we know of iPhone Pro videos, whatever the model."))
        let other = try page(MetadataCheck(.unavailable, reason: .sizeNotInTable))
        #expect(other.contains("None of the sizes that we know of iPhone Pro videos") && !other.contains("No known sizes"))
    }

    @Test("a recording may begin its own length before the quarter of an hour that ends with its receipt")
    func delay() throws {
        var evidence = try #require(Samples.video(named: "whole").evidence)
        func detail() -> String? {
            let captured = SharedTime.exact(Samples.received.addingTimeInterval(-905))
            return CheckRows(
                evidence: evidence, confidence: .high, capturedAt: captured, pictureSize: nil, strings: resources.strings(.english, .video)
            ).rows().first { $0.check == .time }?.detail
        }
        #expect(detail() == "Taken 15 minutes before we received it")
        evidence.video?.durationMilliseconds = 4000
        #expect(detail() == "The time in the video and the time we received it agree within 15 minutes.")
    }

    @Test("a hash-only video says so, with frames and duration as the device reported them, and has no player")
    func hashOnly() throws {
        let html = try html("hash only")
        #expect(html.contains("Video Hash Verified") && html.contains("375 frames, 12.5 s, as reported by the device"))
        #expect(html.contains("The video is not stored, so its chain was not computed again"))
        #expect(html.contains("In a fingerprint-only capture the video stays with its owner."))
        #expect(!html.contains("<video") && !html.contains("/media/") && !html.contains("id=\"scrub\""))
        #expect(try self.html("hash only", .spanish).contains("375 fotogramas, 12,5 s, según el dispositivo"))
    }

    @Test("a video being checked waits for the chain too")
    func processing() throws {
        let html = try html("processing")
        #expect(html.contains("<li data-step=\"hash_chain\" class=\"on\">") && html.contains("We are checking this video."))
        #expect(html.contains("The video appears here when it is ready."))
        #expect(try !Samples.html(Samples.record(named: "processing")).contains("hash_chain"))
    }

    @Test("a partial recording says beside its level that only its beginning is signed")
    func partial() throws {
        #expect(try html("partial").contains("<p>Only the beginning of this recording is signed.</p>"))
        #expect(try !html("whole").contains("Only the beginning"))
        #expect(try html("partial").contains("<details id=\"check-chain\" open>"))
    }

    @Test(
        "of a partial recording the headline says what is signed, whatever its depth is and whoever signed it",
        arguments: [(.real, .partlySigned), (.flat, .flatSurface), (.undecided, .undecided)] as [(DepthVerdict, DepthReason)])
    func partialHeadline(verdict: DepthVerdict, reason: DepthReason) throws {
        for (isDevelopment, signer) in [(false, "A genuine iPhone"), (true, "A test device")] {
            let html = try Samples.html(
                Samples.Video().changed { video in
                    (video.status, video.reason, video.verified) = (.inconclusive, .partial, 10_000)
                    (video.verdict, video.depth, video.depthReason) = (verdict, .inconclusive, reason)
                    (video.evidence, video.confidence) = (Samples.Evidence(development: isDevelopment, binding: .checkpoint), .medium)
                }.record)
            #expect(html.contains("<h1 tabindex=\"-1\">\(signer) signed the beginning of this video.</h1>"))
        }
    }

    @Test("the signed video can be downloaded, and its digest is named")
    func download() throws {
        let html = try html("whole")
        #expect(html.contains("c2pa.mp4?expires=1&amp;signature=00\" download>") && html.contains("Video with credentials"))
        #expect(try !self.html("broken").contains("download>"))
    }

    @Test("what a checkpoint's signature covers is the beginning, with its sound and depth")
    func covers() throws {
        let html = try html("partial")
        #expect(html.contains("Beginning of the video, with its sound and depth") && !html.contains("not covered: Depth map"))
        #expect(try self.html("whole").contains("</svg>Depth maps</li>"))
    }

    @Test("where the chain is broken, a checkpoint's signature covers nothing: time, place and model are marked as not signed")
    func brokenCheckpoint() throws {
        let broken = try Samples.html(
            Samples.Video().changed { video in
                (video.status, video.reason, video.verified, video.breakAt) = (.fail, .chainMismatch, 0, 0)
                (video.signed, video.confidence) = (0, .suspicious)
                video.evidence = Samples.Evidence(binding: .checkpoint, location: MetadataCheck(.pass), place: "Lyon, France")
            }.record)
        #expect(broken.components(separatedBy: "<span class=\"q\">· not signed</span>").count == 4, "captured, place, device")
        #expect(broken.components(separatedBy: "No accepted hardware signature covers this.").count == 4, "time, model, location")
        #expect(broken.contains("not covered: Beginning of the video") && broken.contains("not covered: Time, place and model"))
        let partial = try html("partial")
        #expect(!partial.contains("· not signed</span>") && partial.contains("</svg>Time, place and model</li>"))
    }
}
