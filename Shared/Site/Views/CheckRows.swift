import CaptureProtocol
import Evidence
import Foundation
import Models

/// The checks as sentences, from the evidence: six, and of a video its chain.
struct CheckRows: Sendable {
    let evidence: EvidencePackage
    let confidence: ConfidenceLevel
    let capturedAt: SharedTime
    /// The size of the original, upright or not.
    let pictureSize: PixelSize?
    let strings: StringTable
    private var formatter: ValueFormatter { ValueFormatter(strings: strings) }

    /// The rows, failed checks first.
    func rows() -> [CheckRow] {
        let checks = [hardware(), chain(), depth(), time(), model(), size(), location()].compactMap(\.self)
        let rows = checks.map { row in
            var row = row
            row.isOpen = isOpen(row)
            if isUnsigned(row) { row.paragraphs.append(strings("fact.unsigned.more")) }
            return row
        }
        return rows.filter { $0.status == .fail } + rows.filter { $0.status != .fail }
    }

    /// Whether the row is initially open: it failed, limits the level, or is the basis of the highest level.
    private func isOpen(_ row: CheckRow) -> Bool {
        if row.status == .fail { return true }
        switch (confidence, row.check) {
        case (.high, .hardware): return true
        case (.medium, .hardware), (.medium, .chain), (.medium, .depth), (.low, .hardware), (.low, .chain), (.low, .depth):
            return row.status != .pass
        default: return false
        }
    }

    /// Whether the row shows data that the hardware signature does not cover.
    private func isUnsigned(_ row: CheckRow) -> Bool {
        guard !evidence.coversMetadata else { return false }
        switch row.check {
        case .time: return capturedAt != .notShared
        case .model: return row.status != .unavailable || evidence.hardwareAttestation.deviceModel?.isEmpty == false
        case .location: return row.status != .unavailable
        case .hardware, .chain, .depth, .size: return false
        }
    }

    private func hardware() -> CheckRow {
        let found = evidence.hardwareAttestation
        var row: CheckRow
        switch (found.status, found.reason?.known) {
        case (.pass, _):
            let kind = found.developmentAttestation ? "hw.dev" : "hw.pass"
            row = CheckRow(check: .hardware, status: .pass, detail: strings(kind))
            row.paragraphs = [strings(found.developmentAttestation ? "hw.dev.more" : "hw.more")]
            if found.outOfOrder == true { row.paragraphs.append(strings("hw.order")) }
            if let binding = found.binding {
                row.covers = covers(binding)
            }
        case (.fail, .counterReplay): row = CheckRow(check: .hardware, status: .fail, detail: strings("hw.replay"))
        case (.fail, .counterOrder): row = CheckRow(check: .hardware, status: .fail, detail: strings("hw.order.fail"))
        case (.fail, .checkpointInvalid): row = CheckRow(check: .hardware, status: .fail, detail: strings("hw.checkpoint"))
        case (.fail, .deviceRevoked):
            row = CheckRow(check: .hardware, status: .fail, detail: strings("hw.revoked"), paragraphs: [strings("hw.revoked.more")])
        case (.fail, _): row = CheckRow(check: .hardware, status: .fail, detail: strings("hw.fail"))
        case (let status, let reason?) where Self.refusal(reason) != nil:
            let more = reason == .developmentDevice ? "hw.dev.more" : "hw.refused.more"
            row = CheckRow(
                check: .hardware, status: status, detail: Self.refusal(reason).map { strings($0) } ?? "", paragraphs: [strings(more)])
        case (let status, .deviceUnverified): row = CheckRow(check: .hardware, status: status, detail: strings("hw.unverified"))
        case (let status, _): row = CheckRow(check: .hardware, status: status, detail: strings("hw.none"))
        }
        row.caveat = strings("hw.limit")
        return row
    }

    private func covers(_ binding: AssertionBinding) -> [(part: String, isCovered: Bool)] {
        let depth = evidence.coversDepth
        let metadata = (strings("bind.metadata"), evidence.coversMetadata)
        switch binding {
        // What it covers of the depth is what it covers of the video: nothing where the chain is broken, as of the metadata.
        case .checkpoint: return [(strings("bind.beginning"), evidence.coversMetadata), metadata]
        case .payload: return [(strings("bind.hash"), true), (strings("bind.numbers"), depth), metadata]
        case .photoDepthMetadata, .photoDepth, .photo, .videoDepthMetadata:
            return [(strings("bind.photo"), true), (strings("bind.depth"), depth), metadata]
        }
    }

    /// Why a valid signature is not accepted here.
    private static func refusal(_ reason: HardwareReason) -> String? {
        switch reason {
        case .appNotAccepted: "hw.app"
        case .environmentMismatch: "hw.environment"
        case .developmentDevice: "hw.development"
        case .distributionNotAccepted: "hw.distribution"
        case .appVersionNotAccepted: "hw.version"
        case .bindingRetired: "hw.retired"
        case .mediaNotBound: "hw.notbound"
        case .noAssertion, .deviceUnverified, .deviceRevoked, .malformedCBOR, .malformedObject, .malformedAuthData, .keyType,
            .badSignature, .appIDMismatch, .counterReplay, .checkpointInvalid, .counterOrder:
            nil
        }
    }

    /// `nil` for a photo.
    private func chain() -> CheckRow? {
        guard let found = evidence.hashChain, let facts = evidence.video else { return nil }
        let text = ChainText(found, facts, strings)
        // Of a chain that was not computed again there is no more to say. Only a phone's accepted signature over its end shows that a phone
        // made all of it.
        let isPhones = evidence.signatureCovers.contains(.video) && !evidence.hardwareAttestation.developmentAttestation
        let more = found.isIntact.map { _ in strings(isPhones ? "chain.more" : "chain.unsigned.more") }
        return CheckRow(
            check: .chain, status: found.status, detail: text.sentence, paragraphs: [more, text.reason].compactMap(\.self))
    }

    private func depth() -> CheckRow {
        let found = evidence.depthAnalysis
        let source = strings(found.source == .server ? "dp.server" : "dp.device")
        var paragraphs: [String] = []
        if let coverage = found.coverage, let near = found.minDepth, let far = found.maxDepth, let method = UntrustedText(found.method) {
            paragraphs = [
                strings(
                    "dp.more",
                    [
                        "c": formatter.percentage(coverage), "a": formatter.metres(near), "b": formatter.metres(far),
                        "method": method.isolated,
                    ])
            ]
        }
        paragraphs += depthParts(found)
        if let reason = DepthReasonText.key(found.reason?.known?.rawValue) { paragraphs.insert(strings(reason), at: 0) }
        let detail: String
        switch (found.status, found.reason?.known) {
        case (.pass, _): detail = found.relief.map { strings("dp.pass", ["n": formatter.percentage($0)]) } ?? strings("depth.real")
        case (.fail, _): detail = strings("dp.fail")
        case (.inconclusive, .noLiDAR):
            detail = strings("dp.nolidar")
            paragraphs.insert(strings("dp.nolidar.more"), at: 0)
        // A video's depth does not count then, though the signature may well cover it.
        case (.inconclusive, .depthNotSigned) where evidence.hardwareAttestation.status == .fail: detail = strings("dp.hardware")
        case (.inconclusive, .depthNotSigned) where evidence.hardwareAttestation.binding == .photoDepth:
            detail = strings("dp.shape")
            paragraphs.insert(strings("dp.shape.more"), at: 0)
        case (.inconclusive, .depthNotSigned):
            detail = strings("dp.unbound")
            paragraphs.insert(strings("dp.unbound.more"), at: 0)
        case (.inconclusive, .partlySigned) where found.verdict == .real: detail = strings("dp.partly")
        case (.inconclusive, _): detail = strings(found.verdict == .flat ? "dp.flat" : "dp.undecided")
        case (.unavailable, _):
            return CheckRow(check: .depth, status: .unavailable, detail: strings("dp.none"), paragraphs: [strings("dp.more.none")])
        }
        return CheckRow(check: .depth, status: found.status, detail: "\(detail), \(source)", paragraphs: paragraphs)
    }

    /// The measurements beside the relief: its two parts, and the outlines, which decide nothing. And a note if an earlier method was used.
    private func depthParts(_ found: DepthAnalysisEvidence) -> [String] {
        var paragraphs: [String] = []
        if let front = found.reliefFront, let behind = found.reliefBehind {
            let (inFront, atBack) = formatter.percentages(front, behind)
            paragraphs.append(strings("dp.parts", ["f": inFront, "b": atBack]))
        }
        if let edges = found.photoEdgesOnSurface {
            paragraphs.append(strings("dp.outlines", ["n": formatter.percentage(edges)]))
        }
        let versions = found.temporal == nil ? EvidenceAssembly.algorithmVersions : EvidenceAssembly.videoVersions
        if let method = found.method, let current = versions["depth"], method != current {
            paragraphs.append(strings("dp.earlier", ["method": current]))
        }
        return paragraphs
    }

    private func time() -> CheckRow {
        let found = evidence.metadata.timestamp
        let (detail, more): (String, String)
        switch (found.status, found.reason?.known) {
        case (.pass, _):
            let meaning = evidence.mediaStored ? "time.pass.more" : evidence.coversMetadata ? "time.signed.more" : "time.given.more"
            guard let delay else { return CheckRow(check: .time, status: .pass, detail: strings(meaning)) }
            (detail, more) = (strings("time.pass", ["t": formatter.span(delay)]), meaning)
        case (.fail, .afterReceipt): (detail, more) = (strings("time.future"), "time.future.more")
        case (.fail, _): (detail, more) = (strings("time.differs.plain"), "time.fail.more")
        case (_, .uploadedLate), (_, .uploadedVeryLate):
            (detail, more) = (strings(evidence.mediaStored ? "time.late" : "time.late.signed"), "time.late.more")
        case (_, .dayOnly): (detail, more) = (strings("time.day"), "time.private.more")
        case (_, .notShared): (detail, more) = (strings("fact.notime"), "time.private.more")
        case (_, .noUTCOffset): (detail, more) = (strings("time.zone"), "time.none.more")
        case (_, .unreadableEXIFTime): (detail, more) = (strings("time.unreadable"), "time.none.more")
        default: (detail, more) = (strings("time.none"), "time.none.more")
        }
        return CheckRow(check: .time, status: found.status, detail: detail, paragraphs: [strings(more)])
    }

    /// Seconds from the reported time to receipt; `nil` unless they fit the 15 minutes of the check, which of a video count from its end.
    /// A time can pass without: that of a clock that is a little ahead, or one that is earlier than the file's own.
    private var delay: TimeInterval? {
        guard case .exact(let captured) = capturedAt, case .exact(let received) = evidence.processing.receivedAt else { return nil }
        let delay = received.timeIntervalSince(captured)
        let recording = Double(evidence.video?.durationMilliseconds ?? 0) / 1000
        return (0...(15 * 60 + max(0, recording))).contains(delay) ? delay : nil
    }

    private func model() -> CheckRow {
        let found = evidence.metadata.model
        let (detail, more): (String, String)
        switch (found.status, found.reason?.known) {
        case (.pass, _):
            // The registered device may only be called "iPhone", beside others that name its model.
            guard let model = evidence.hardwareAttestation.deviceModel, IPhoneModels.find(model) != nil,
                let text = UntrustedText(model)?.isolated
            else {
                return CheckRow(
                    check: .model, status: .pass, detail: strings("model.pass.more"), paragraphs: [], caveat: strings("model.limit"))
            }
            // The depth does not count then, and its row says that the device has no sensor.
            let hasNone = evidence.depthAnalysis.reason?.known == .noLiDAR
            (detail, more) = (strings(hasNone ? "model.nolidar" : "model.pass", ["model": text]), "model.pass.more")
        // The evidence does not tell which of the stated models it is.
        case (.fail, .modelWithoutLiDAR): (detail, more) = (strings("model.other.plain"), "model.fail.more")
        case (.fail, _): (detail, more) = (strings("model.differs.plain"), "model.fail.more")
        case (_, .notShared): (detail, more) = (strings("fact.nomodel"), "model.private.more")
        default:
            (detail, more) = (unlistedModel.map { strings("model.unlisted", ["model": $0]) } ?? strings("model.none"), "model.none.more")
        }
        return CheckRow(
            check: .model, status: found.status, detail: detail, paragraphs: [strings(more)],
            caveat: found.status == .fail ? nil : strings("model.limit"))
    }

    /// The registered model, as display text, if it is an exact one that we do not know. The other stated models are not in the evidence.
    private var unlistedModel: String? {
        guard let model = evidence.hardwareAttestation.deviceModel, IPhoneModels.isSpecific(model), IPhoneModels.find(model) == nil else {
            return nil
        }
        return UntrustedText(model)?.isolated
    }

    private func size() -> CheckRow {
        let found = evidence.metadata.resolution
        let size = pictureSize.map { ["w": String($0.width), "h": String($0.height)] }
        switch (found.status, found.reason?.known, size) {
        case (.pass, _, let size?):
            return CheckRow(check: .size, status: .pass, detail: strings("size.pass", size), paragraphs: [strings("size.pass.more")])
        case (.pass, _, nil): return CheckRow(check: .size, status: .pass, detail: strings("size.pass.more"))
        case (let status, .sizeNotInTable, let size):
            let detail = size.map { strings("size.other", $0) } ?? strings("size.other.plain")
            return CheckRow(check: .size, status: status, detail: detail, paragraphs: [strings("size.none.more")])
        case (let status, .mediaNotStored, _):
            return CheckRow(check: .size, status: status, detail: strings("size.private"), paragraphs: [strings("size.private.more")])
        case (let status, _, _):
            return CheckRow(check: .size, status: status, detail: strings("size.none"), paragraphs: [strings("size.none.more")])
        }
    }

    private func location() -> CheckRow {
        let found = evidence.metadata.location
        let (detail, more): (String, String)
        switch found.status {
        case .pass:
            let city = UntrustedText(evidence.metadata.locationCoarse)?.isolated
            (detail, more) = (city.map { strings("loc.pass", ["city": $0]) } ?? strings("loc.none"), "loc.pass.more")
        case .fail: (detail, more) = (strings("loc.fail"), "loc.fail.more")
        case .inconclusive, .unavailable: (detail, more) = (strings("loc.none"), "loc.more")
        }
        return CheckRow(check: .location, status: found.status, detail: detail, paragraphs: [strings(more)])
    }
}
