/// The confidence level: how strongly the evidence supports a capture (SPEC §3). Lower case in data; upper case is for display only.
public enum ConfidenceLevel: String, Codable, Sendable, CaseIterable { case high, medium, low, suspicious }
