// Größen und Längen — CRLF and UTF-8 in both files
typedef struct
{
	float laenge;
	float breite;
	int nr;
} Feld;

__kernel void messen(__global Feld *felder, int n)
{
	int i = get_global_id(0);
	if (i < n)
	{
		felder[i].laenge *= 2.0f;	// „verdoppelt“
		felder[i].nr = n - felder[i].nr;
	}
}
